import { describe, expect, it } from "vitest"
import { podErrors, type ErrorRow } from "../../admission/drafts.ts"

const app = "spec.containers.0"
const env = "spec.containers[0].env[0]"
const envFrom = "spec.containers[0].envFrom"
const nameRule =
  "a valid environment variable name must consist only of printable ASCII characters other than '='"
const subdomainRule =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', " +
  "and must start and end with an alphanumeric character (e.g. 'example.com', " +
  "regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"

const from = (valueFrom: object, value?: string): ErrorRow["edits"] => [
  [`${app}.env`, [{ name: "A", ...(value === undefined ? {} : { value }), valueFrom }]]
]
const sources = (...envFromSources: ReadonlyArray<object>): ErrorRow["edits"] => [
  [`${app}.envFrom`, envFromSources]
]

describe("a variable of a container (TestValidateEnv)", () => {
  const rows: ReadonlyArray<ErrorRow> = [
    {
      why: "a name is needed",
      edits: [[`${app}.env`, [{ value: "x" }]]],
      errors: [`${env}.name: Required value`]
    },
    {
      why: "since 1.32 a name may hold nearly anything",
      edits: [[`${app}.env`, [{ name: "1 a-b!" }]]],
      errors: []
    },
    {
      why: "but no equals sign",
      edits: [[`${app}.env`, [{ name: "A=B" }]]],
      errors: [`${env}.name: Invalid value: "A=B": ${nameRule}`]
    },
    {
      why: "a value comes from one place",
      edits: from({ fieldRef: { fieldPath: "metadata.name" } }, "x"),
      errors: [`${env}.valueFrom: Invalid value: "": may not be specified when \`value\` is not empty`]
    },
    {
      why: "and from some place",
      edits: from({}),
      errors: [
        `${env}.valueFrom: Invalid value: "": must specify one of: ` +
          "`fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`"
      ]
    },
    {
      why: "a field of the Pod is one",
      edits: from({ fieldRef: { fieldPath: "metadata.name" } }),
      errors: []
    },
    {
      why: "an empty value is no second one",
      edits: from({ resourceFieldRef: { resource: "limits.cpu" } }, ""),
      errors: []
    },
    { why: "a key of a Secret is one", edits: from({ secretKeyRef: { name: "s.a", key: "k" } }), errors: [] },
    {
      why: "a key of a Secret and of a ConfigMap are two",
      edits: from({ secretKeyRef: { name: "s", key: "k" }, configMapKeyRef: { name: "c", key: "k" } }),
      errors: [`${env}.valueFrom: Invalid value: "": may not have more than one field specified at a time`]
    },
    {
      why: "a field is named",
      edits: from({ fieldRef: {} }),
      errors: [`${env}.valueFrom.fieldRef.fieldPath: Required value`]
    },
    {
      why: "a resource is named",
      edits: from({ resourceFieldRef: { resource: "" } }),
      errors: [`${env}.valueFrom.resourceFieldRef.resource: Required value`]
    },
    {
      why: "a key is named",
      edits: from({ configMapKeyRef: { name: "c" } }),
      errors: [`${env}.valueFrom.configMapKeyRef.key: Required value`]
    },
    {
      why: "and what has it could be one's name",
      edits: from({ secretKeyRef: { key: "k" } }),
      errors: [`${env}.valueFrom.secretKeyRef.name: Invalid value: "": ${subdomainRule}`]
    }
  ]
  it.each(rows)("$why", ({ edits, errors }) => {
    expect(podErrors(edits)).toEqual(errors)
  })
})

describe("variables from a whole ConfigMap or Secret (TestValidateEnvFrom)", () => {
  const rows: ReadonlyArray<ErrorRow> = [
    {
      why: "either will do",
      edits: sources({ configMapRef: { name: "c" }, prefix: "C_" }, { secretRef: { name: "s" } }),
      errors: []
    },
    {
      why: "each has a name",
      edits: sources({ configMapRef: {} }, { secretRef: { name: "" } }),
      errors: [
        `${envFrom}[0].configMapRef.name: Required value`,
        `${envFrom}[1].secretRef.name: Required value`
      ]
    },
    {
      why: "none at all is told of the list, not of the place in it",
      edits: sources({ secretRef: { name: "s" } }, {}),
      errors: [`${envFrom}: Invalid value: "": must specify one of: \`configMapRef\` or \`secretRef\``]
    },
    {
      why: "both at once are too many",
      edits: sources({ configMapRef: { name: "c" }, secretRef: { name: "s" } }),
      errors: [`${envFrom}: Invalid value: "": may not have more than one field specified at a time`]
    },
    {
      why: "a prefix is the beginning of a name",
      edits: sources({ configMapRef: { name: "c" }, prefix: "a=" }),
      errors: [`${envFrom}[0].prefix: Invalid value: "a=": ${nameRule}`]
    }
  ]
  it.each(rows)("$why", ({ edits, errors }) => {
    expect(podErrors(edits)).toEqual(errors)
  })
})
