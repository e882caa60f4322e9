import { describe, expect, it } from 'vitest'
import { runCommand } from '../../cli/run-command.ts'

describe('deploy', () => {
  const nodes = ['--node', 'n1=127.0.0.1:4141', '--node', 'n2=127.0.0.1:4142']

  it('prints a complete configuration on standard output', async () => {
    const nginx = await runCommand('deploy', 'nginx', ...nodes, '--listen', '127.0.0.1:8099')
    expect(nginx).toMatchObject({ code: 0, stdout: expect.stringContaining('listen 127.0.0.1:8099;') })
    const haproxy = await runCommand('deploy', 'haproxy', ...nodes)
    expect(haproxy).toMatchObject({ code: 0, stdout: expect.stringContaining('default_backend n1') })
  })

  it.each([
    [['nginx', ...nodes, '--listen', '1'], 'listen 1;'],
    [['nginx', ...nodes, '--listen', '65535'], 'listen 65535;'],
    [['nginx', ...nodes, '--listen', '[::1]:8080'], 'listen [::1]:8080;'],
    [['nginx', ...nodes, '--server-name', 'a', '--server-name', 'b'], 'server_name a b;'],
    [['nginx', ...nodes, '--tls-key', 'a.key', '--tls-certificate', 'a.pem'], 'listen 8080 ssl;'],
  ])('prints a configuration for %j', async (args, line) => {
    const { code, stdout, stderr } = await runCommand('deploy', ...args)
    expect(code, stderr).toBe(0)
    expect(stdout).toContain(line)
  })

  it.each([
    [
      ['nginx', ...nodes, '--listen', '0'],
      'It must be a port, or an address with a port, such as 8080 or 127.0.0.1:8080.',
    ],
    [
      ['nginx', ...nodes, '--listen', '65536'],
      'It must be a port, or an address with a port, such as 8080 or 127.0.0.1:8080.',
    ],
    [
      ['nginx', ...nodes, '--listen', 'a b:80'],
      'It must be a port, or an address with a port, such as 8080 or 127.0.0.1:8080.',
    ],
    [
      ['nginx', ...nodes, '--tls-certificate', 'a.pem'],
      '--tls-certificate and --tls-key must be used together',
    ],
    [['nginx', ...nodes, '--node', 'n3=127.0.0.1:4142'], "Two nodes have the address '127.0.0.1:4142'"],
    [['ngnix', ...nodes], "Unknown balancer 'ngnix'; did you mean 'nginx'?"],
    [['envoy', ...nodes], 'For envoy, adapt the example in src/extras/cluster/README.md'],
    [['kubernetes'], 'For kubernetes, adapt the example in src/extras/cluster/README.md'],
    [['nginx'], 'nginx requires at least one node: --node n1=127.0.0.1:4141'],
    [['nginx', ...nodes, '--node', 'n1=127.0.0.1:4143'], "Two nodes have the name 'n1'"],
    [['nginx', ...nodes, '--tls-key', 'a.key'], '--tls-certificate and --tls-key must be used together'],
    [
      ['nginx', ...nodes, '--listen', 'x'],
      'It must be a port, or an address with a port, such as 8080 or 127.0.0.1:8080.',
    ],
  ])('rejects %j with a one-line error', async (args, line) => {
    const { code, stderr } = await runCommand('deploy', ...args)
    expect(code).toBe(2)
    expect(stderr).toMatch(/^error: [^\n]*\n$/)
    expect(stderr).toContain(line)
  })
})
