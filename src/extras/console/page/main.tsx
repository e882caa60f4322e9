/**
 * The console: a page that shows what was asked of a running server, why it was answered so, and turns it into a test.
 * It speaks the control API alone, and tells nobody anything: there is no telemetry.
 */
import { render } from 'preact'
import { App } from './app.tsx'

const root = document.getElementById('app')
if (root) render(<App />, root)
