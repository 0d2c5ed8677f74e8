import type { Fields } from "../../src/kubernetes/meta/fields.ts"
import * as fc from "fast-check"

/**
 * Random Deployments, made of few names and values, so that two of them have much in common and differ in every
 * way a merge has to deal with: maps, lists with a key, sets, lists and maps that are one value.
 */
const text = fc.constantFrom("a", "b", "c")

/** Each field is there or not. */
const some = (fields: Readonly<Record<string, fc.Arbitrary<unknown>>>): fc.Arbitrary<Fields> =>
  fc.record({ ...fields }, { requiredKeys: [], noNullPrototype: true })

const all = (fields: Readonly<Record<string, fc.Arbitrary<unknown>>>): fc.Arbitrary<Fields> =>
  fc.record({ ...fields }, { noNullPrototype: true })

const labels = fc.dictionary(text, text, { maxKeys: 3, noNullPrototype: true })

const named = (key: string, keys: fc.Arbitrary<unknown>, more: fc.Arbitrary<Fields>) =>
  fc.uniqueArray(
    fc.tuple(keys, more).map(([value, fields]): Fields => ({ ...fields, [key]: value })),
    { maxLength: 3, selector: (element) => element[key] }
  )

const container = some({
  image: text,
  args: fc.array(text, { maxLength: 2 }),
  env: named("name", text, some({ value: text })),
  ports: named("containerPort", fc.constantFrom(80, 443, 9153), fc.constant({ protocol: "TCP" })),
  resources: some({
    limits: fc.dictionary(fc.constantFrom("cpu", "memory"), text, { noNullPrototype: true })
  })
})

const podSpec = some({
  containers: named("name", text, container),
  volumes: named(
    "name",
    text,
    fc.oneof(
      all({ emptyDir: fc.constant({}) }),
      all({ configMap: all({ name: text }) }),
      all({ secret: some({ secretName: text, optional: fc.boolean() }) })
    )
  ),
  nodeSelector: labels,
  tolerations: fc.array(some({ key: text, value: text }), { maxLength: 2 }),
  securityContext: some({ runAsUser: fc.nat(3), runAsGroup: fc.nat(3) })
})

const spec = some({
  replicas: fc.nat(5),
  paused: fc.boolean(),
  selector: all({ matchLabels: labels }),
  strategy: fc.oneof(
    fc.constant({ type: "Recreate" }),
    all({
      type: fc.constant("RollingUpdate"),
      rollingUpdate: some({ maxSurge: fc.nat(3), maxUnavailable: fc.nat(3) })
    })
  ),
  template: some({ metadata: some({ labels, annotations: labels }), spec: podSpec })
})

export const someDeployments: fc.Arbitrary<Fields> = all({
  apiVersion: fc.constant("apps/v1"),
  kind: fc.constant("Deployment"),
  metadata: some({
    labels,
    annotations: labels,
    finalizers: fc.uniqueArray(
      text.map((it) => `example.com/${it}`),
      { maxLength: 3 }
    ),
    ownerReferences: named("uid", text, some({ name: text, controller: fc.boolean() }))
  }).map((fields): Fields => ({ ...fields, name: "web", namespace: "shop" })),
  spec
})
