import { describe, expect, it } from "vitest"
import { podErrors, type ErrorRow } from "../drafts.ts"

const app = "spec.containers.0"
const env = "spec.containers[0].env[0]"
const envFrom = "spec.containers[0].envFrom"
const nameRule =
  "a valid environment variable name must consist only of printable ASCII characters other than '='"
const subdomainRule =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', " +
  "and must start and end with an alphanumeric character (e.g. 'example.com', " +
  "regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"

const envFromSource = (valueFrom: object, value?: string): ErrorRow["edits"] => [
  [`${app}.env`, [{ name: "A", ...(value === undefined ? {} : { value }), valueFrom }]]
]
const byteUnits = "1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei"
const divisorError = (index: number, resource: string, rule: string): string =>
  `spec.containers[0].env[${index}].valueFrom.resourceFieldRef.divisor: Invalid value: "${resource}": ` +
  `only divisor's values ${rule} resource`
const sources = (...envFromSources: ReadonlyArray<object>): ErrorRow["edits"] => [
  [`${app}.envFrom`, envFromSources]
]

describe("a variable of a container (TestValidateEnv)", () => {
  const rows: ReadonlyArray<ErrorRow> = [
    {
      why: "requires a name",
      edits: [[`${app}.env`, [{ value: "x" }]]],
      errors: [`${env}.name: Required value`]
    },
    {
      why: "accepts nearly any name since 1.32",
      edits: [[`${app}.env`, [{ name: "1 a-b!" }]]],
      errors: []
    },
    {
      why: "rejects an equals sign in a name",
      edits: [[`${app}.env`, [{ name: "A=B" }]]],
      errors: [`${env}.name: Invalid value: "A=B": ${nameRule}`]
    },
    {
      why: "rejects value together with valueFrom",
      edits: envFromSource({ fieldRef: { fieldPath: "metadata.name" } }, "x"),
      errors: [`${env}.valueFrom: Invalid value: "": may not be specified when \`value\` is not empty`]
    },
    {
      why: "requires a source in valueFrom",
      edits: envFromSource({}),
      errors: [
        `${env}.valueFrom: Invalid value: "": must specify one of: ` +
          "`fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`"
      ]
    },
    {
      why: "accepts a field of the Pod",
      edits: envFromSource({ fieldRef: { fieldPath: "metadata.name" } }),
      errors: []
    },
    {
      why: "accepts one label of the Pod",
      edits: envFromSource({ fieldRef: { fieldPath: "metadata.labels['app']" } }),
      errors: []
    },
    {
      why: "rejects a field that Pods do not offer",
      edits: envFromSource({ fieldRef: { fieldPath: "status.nodeName" } }),
      errors: [
        `${env}.valueFrom.fieldRef.fieldPath: Invalid value: "status.nodeName": ` +
          "error converting fieldPath: field label not supported: status.nodeName"
      ]
    },
    {
      why: "rejects a part of a field that has none",
      edits: envFromSource({ fieldRef: { fieldPath: "metadata.name['key']" } }),
      errors: [
        `${env}.valueFrom.fieldRef.fieldPath: Invalid value: "metadata.name['key']": ` +
          "error converting fieldPath: field label does not support subscript: metadata.name['key']"
      ]
    },
    {
      why: "rejects a field that only volumes may have",
      edits: envFromSource({ fieldRef: { fieldPath: "metadata.labels" } }),
      errors: [
        `${env}.valueFrom.fieldRef.fieldPath: Unsupported value: "metadata.labels": supported values: ` +
          '"metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName", ' +
          '"status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs"'
      ]
    },
    {
      why: "rejects an amount of an unknown resource",
      edits: envFromSource({ resourceFieldRef: { resource: "limits.gpu" } }),
      errors: [
        `${env}.valueFrom.resourceFieldRef.resource: Unsupported value: "limits.gpu": supported values: ` +
          '"limits.cpu", "limits.ephemeral-storage", "limits.memory", "requests.cpu", "requests.ephemeral-storage", ' +
          '"requests.memory"'
      ]
    },
    {
      why: "accepts an empty value beside valueFrom",
      edits: envFromSource({ resourceFieldRef: { resource: "limits.cpu" } }, ""),
      errors: []
    },
    {
      why: "accepts a key of a Secret",
      edits: envFromSource({ secretKeyRef: { name: "s.a", key: "k" } }),
      errors: []
    },
    {
      why: "rejects two sources",
      edits: envFromSource({
        secretKeyRef: { name: "s", key: "k" },
        configMapKeyRef: { name: "c", key: "k" }
      }),
      errors: [`${env}.valueFrom: Invalid value: "": may not have more than one field specified at a time`]
    },
    {
      why: "requires a field path",
      edits: envFromSource({ fieldRef: {} }),
      errors: [`${env}.valueFrom.fieldRef.fieldPath: Required value`]
    },
    {
      why: "requires a resource",
      edits: envFromSource({ resourceFieldRef: { resource: "" } }),
      errors: [`${env}.valueFrom.resourceFieldRef.resource: Required value`]
    },
    {
      why: "divides an amount by a unit of its resource",
      edits: [
        [
          `${app}.env`,
          [
            { resource: "limits.cpu", divisor: "1m" },
            { resource: "limits.cpu", divisor: "0" },
            { resource: "limits.memory", divisor: "1Mi" },
            { resource: "requests.cpu", divisor: "5" },
            { resource: "limits.memory", divisor: "2Mi" },
            { resource: "limits.ephemeral-storage", divisor: "1m" },
            { resource: "limits.hugepages-2Mi", divisor: "1m" }
          ].map((resourceFieldRef, index) => ({ name: `A${index}`, valueFrom: { resourceFieldRef } }))
        ]
      ],
      errors: [
        divisorError(3, "requests.cpu", "1m and 1 are supported with the cpu"),
        divisorError(4, "limits.memory", `${byteUnits} are supported with the memory`),
        divisorError(
          5,
          "limits.ephemeral-storage",
          `${byteUnits} are supported with the local ephemeral storage`
        ),
        divisorError(6, "limits.hugepages-2Mi", `${byteUnits} are supported with the hugepages`)
      ]
    },
    {
      why: "requires a key that a ConfigMap may have",
      edits: envFromSource({ configMapKeyRef: { name: "c", key: "..data" } }),
      errors: [`${env}.valueFrom.configMapKeyRef.key: Invalid value: "..data": must not start with '..'`]
    },
    {
      why: "requires a key",
      edits: envFromSource({ configMapKeyRef: { name: "c" } }),
      errors: [`${env}.valueFrom.configMapKeyRef.key: Required value`]
    },
    {
      why: "requires a name of the Secret",
      edits: envFromSource({ secretKeyRef: { key: "k" } }),
      errors: [`${env}.valueFrom.secretKeyRef.name: Invalid value: "": ${subdomainRule}`]
    }
  ]
  it.each(rows)("$why", ({ edits, errors }) => {
    expect(podErrors(edits)).toEqual(errors)
  })
})

describe("envFrom of a container (TestValidateEnvFrom)", () => {
  const rows: ReadonlyArray<ErrorRow> = [
    {
      why: "accepts a ConfigMap and a Secret",
      edits: sources({ configMapRef: { name: "c" }, prefix: "C_" }, { secretRef: { name: "s" } }),
      errors: []
    },
    {
      why: "requires names",
      edits: sources({ configMapRef: {} }, { secretRef: { name: "" } }),
      errors: [
        `${envFrom}[0].configMapRef.name: Required value`,
        `${envFrom}[1].secretRef.name: Required value`
      ]
    },
    {
      why: "requires names that a Secret may have",
      edits: sources({ secretRef: { name: "Keys" } }),
      errors: [`${envFrom}[0].secretRef.name: Invalid value: "Keys": ${subdomainRule}`]
    },
    {
      why: "reports a missing source at the list, not at the index",
      edits: sources({ secretRef: { name: "s" } }, {}),
      errors: [`${envFrom}: Invalid value: "": must specify one of: \`configMapRef\` or \`secretRef\``]
    },
    {
      why: "rejects two sources in one element",
      edits: sources({ configMapRef: { name: "c" }, secretRef: { name: "s" } }),
      errors: [`${envFrom}: Invalid value: "": may not have more than one field specified at a time`]
    },
    {
      why: "requires a prefix that can begin a name",
      edits: sources({ configMapRef: { name: "c" }, prefix: "a=" }),
      errors: [`${envFrom}[0].prefix: Invalid value: "a=": ${nameRule}`]
    }
  ]
  it.each(rows)("$why", ({ edits, errors }) => {
    expect(podErrors(edits)).toEqual(errors)
  })
})
