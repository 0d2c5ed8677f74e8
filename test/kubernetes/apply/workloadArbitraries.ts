import type { Fields } from "../../../src/kubernetes/meta/fields.ts"
import * as fc from "fast-check"

/**
 * Random Deployments of few names and values, so that two of them share much and differ in every way that a merge
 * handles: maps, lists with a key, sets, atomic lists and maps.
 */
const text = fc.constantFrom("a", "b", "c")

const optionalFields = (fields: Readonly<Record<string, fc.Arbitrary<unknown>>>): fc.Arbitrary<Fields> =>
  fc.record({ ...fields }, { requiredKeys: [], noNullPrototype: true })

const requiredFields = (fields: Readonly<Record<string, fc.Arbitrary<unknown>>>): fc.Arbitrary<Fields> =>
  fc.record({ ...fields }, { noNullPrototype: true })

const labels = fc.dictionary(text, text, { maxKeys: 3, noNullPrototype: true })

const uniqueBy = (key: string, keys: fc.Arbitrary<unknown>, more: fc.Arbitrary<Fields>) =>
  fc.uniqueArray(
    fc.tuple(keys, more).map(([value, fields]): Fields => ({ ...fields, [key]: value })),
    { maxLength: 3, selector: (element) => element[key] }
  )

const container = optionalFields({
  image: text,
  args: fc.array(text, { maxLength: 2 }),
  env: uniqueBy("name", text, optionalFields({ value: text })),
  ports: uniqueBy("containerPort", fc.constantFrom(80, 443, 9153), fc.constant({ protocol: "TCP" })),
  resources: optionalFields({
    limits: fc.dictionary(fc.constantFrom("cpu", "memory"), text, { noNullPrototype: true })
  })
})

const podSpec = optionalFields({
  containers: uniqueBy("name", text, container),
  volumes: uniqueBy(
    "name",
    text,
    fc.oneof(
      requiredFields({ emptyDir: fc.constant({}) }),
      requiredFields({ configMap: requiredFields({ name: text }) }),
      requiredFields({ secret: optionalFields({ secretName: text, optional: fc.boolean() }) })
    )
  ),
  nodeSelector: labels,
  tolerations: fc.array(optionalFields({ key: text, value: text }), { maxLength: 2 }),
  securityContext: optionalFields({ runAsUser: fc.nat(3), runAsGroup: fc.nat(3) })
})

const spec = optionalFields({
  replicas: fc.nat(5),
  paused: fc.boolean(),
  selector: requiredFields({ matchLabels: labels }),
  strategy: fc.oneof(
    fc.constant({ type: "Recreate" }),
    requiredFields({
      type: fc.constant("RollingUpdate"),
      rollingUpdate: optionalFields({ maxSurge: fc.nat(3), maxUnavailable: fc.nat(3) })
    })
  ),
  template: optionalFields({ metadata: optionalFields({ labels, annotations: labels }), spec: podSpec })
})

export const someDeployments: fc.Arbitrary<Fields> = requiredFields({
  apiVersion: fc.constant("apps/v1"),
  kind: fc.constant("Deployment"),
  metadata: optionalFields({
    labels,
    annotations: labels,
    finalizers: fc.uniqueArray(
      text.map((it) => `example.com/${it}`),
      { maxLength: 3 }
    ),
    ownerReferences: uniqueBy("uid", text, optionalFields({ name: text, controller: fc.boolean() }))
  }).map((fields): Fields => ({ ...fields, name: "web", namespace: "shop" })),
  spec
})
