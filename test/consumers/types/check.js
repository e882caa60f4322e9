/** Runs every compiler with every kind of module resolution. Their messages go to stdout. */
import { spawnSync } from 'node:child_process'

for (const compiler of ['typescript', 'typescript-6', 'typescript-5'])
  for (const resolution of ['bundler', 'nodenext', 'node16']) {
    const args = [`node_modules/${compiler}/bin/tsc`, '-p', `tsconfig.${resolution}.json`]
    const { status, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' })
    if (status === 0) continue
    console.log(`${compiler}, ${resolution}:\n${stdout}`)
    process.exitCode = 1
  }
