import { describe, expect, it } from "vitest"
import { kindNamed } from "../../builders.ts"
import { createWarnings, validateCreate, validateUpdate } from "../../../src/kubernetes/admission/admit.ts"
import { aDeployment, edited, pods, deployments, errorTexts, type Edit } from "./drafts.ts"

const subdomain =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', " +
  "and must start " +
  "and end with an alphanumeric character (e.g. 'example.com', regex used for validation is " +
  "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
const label =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must " +
  "start and end " +
  "with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is " +
  "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
const namePart =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with " +
  "an alphanumeric " +
  "character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is " +
  "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
const labelValue =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and " +
  "must start and " +
  "end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for " +
  "validation is " +
  "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"

/** The errors of the metadata alone: the object lacks what its kind requires beside it. */
const createErrors = (kindName: string, metadata: object): ReadonlyArray<string> =>
  errorTexts(validateCreate(kindNamed(kindName), { apiVersion: "v1", kind: kindName, metadata })).filter(
    (error) => error.startsWith("metadata.")
  )

describe("names (TestValidateObjectMetaNamespaces, TestNameFunctions)", () => {
  it.each([
    { kind: "ConfigMap", name: "a.b-3", problems: [], why: "a subdomain may have dots" },
    { kind: "ConfigMap", name: "Web", problems: [subdomain], why: "no capitals" },
    { kind: "ConfigMap", name: "web-", problems: [subdomain], why: "no dash at the end" },
    {
      kind: "ConfigMap",
      name: "a".repeat(254),
      problems: ["must be no more than 253 characters"],
      why: "253 is the most"
    },
    {
      kind: "Service",
      name: "3web",
      problems: [],
      why: "a Service's name may start with a digit from 1.36 on"
    },
    { kind: "Service", name: "web_a", problems: [label], why: "a Service's name is one label" },
    { kind: "RoleBinding", name: "system:node", problems: [], why: "RBAC names are path segments" },
    {
      kind: "RoleBinding",
      name: "a/b%",
      problems: ["may not contain '/'", "may not contain '%'"],
      why: "RBAC names are path segments"
    },
    { kind: "Role", name: "..", problems: ["may not be '..'"], why: ".. is no path segment" },
    {
      kind: "CronJob",
      name: "c".repeat(53),
      problems: ["must be no more than 52 characters"],
      why: "the Jobs of a CronJob add eleven characters"
    }
  ])("$kind $name: $why", ({ kind, name, problems }) => {
    expect(createErrors(kind, { name, namespace: "shop" })).toEqual(
      problems.map((problem) => `metadata.name: Invalid value: ${JSON.stringify(name)}: ${problem}`)
    )
  })

  it.each([
    { name: "a.b", problem: "must not contain dots", why: "the dot is the only error" },
    { name: "A.b", problem: label, why: "the dot is not the only error" },
    { name: "n".repeat(64), problem: "must be no more than 63 characters", why: "63 is the most" }
  ])("Namespace $name: $why", ({ name, problem }) => {
    expect(createErrors("Namespace", { name })).toEqual([
      `metadata.name: Invalid value: ${JSON.stringify(name)}: ${problem}`
    ])
  })

  it("needs a name or a generateName", () => {
    expect(createErrors("ConfigMap", { namespace: "shop" })).toEqual([
      "metadata.name: Required value: name or generateName is required"
    ])
    expect(createErrors("ConfigMap", { namespace: "shop", generateName: "web-" })).toEqual([])
  })

  it("validates a generateName as if it had its suffix", () => {
    expect(createErrors("ConfigMap", { namespace: "shop", generateName: "Web-" })).toEqual([
      `metadata.generateName: Invalid value: "Web-": ${subdomain}`
    ])
  })

  it("requires a namespace of namespaced kinds, and of no others", () => {
    expect(createErrors("ConfigMap", { name: "web" })).toEqual(["metadata.namespace: Required value"])
    expect(createErrors("ConfigMap", { name: "web", namespace: "A" })).toEqual([
      `metadata.namespace: Invalid value: "A": ${label}`
    ])
    expect(createErrors("Node", { name: "n", namespace: "shop" })).toEqual([
      "metadata.namespace: Forbidden: not allowed on this type"
    ])
  })
})

describe("labels, annotations, owners and finalizers (TestValidateAnnotations, TestValidateOwnerReferences)", () => {
  const owner = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "a", uid: "u-1", controller: true }
  const rows: ReadonlyArray<{
    readonly edit: Edit
    readonly errors: ReadonlyArray<string>
    readonly why: string
  }> = [
    {
      edit: ["labels", { "-x": "y" }],
      errors: [`metadata.labels: Invalid value: "-x": ${namePart}`],
      why: "requires a qualified name as label key"
    },
    {
      edit: ["labels", { "": "y" }],
      errors: [
        'metadata.labels: Invalid value: "": name part must be non-empty',
        `metadata.labels: Invalid value: "": ${namePart}`
      ],
      why: "reports two errors for an empty key"
    },
    {
      edit: ["labels", { ["k".repeat(64)]: "v".repeat(64) }],
      errors: [
        `metadata.labels: Invalid value: "${"k".repeat(64)}": name part must be no more than 63 bytes`,
        `metadata.labels: Invalid value: "${"v".repeat(64)}": must be no more than 63 bytes`
      ],
      why: "limits label keys and values to 63 bytes"
    },
    {
      edit: ["labels", { "/x": "y", "Up.per/x": "y" }],
      errors: [
        'metadata.labels: Invalid value: "/x": prefix part must be non-empty',
        `metadata.labels: Invalid value: "Up.per/x": prefix part ${subdomain}`
      ],
      why: "requires a subdomain as prefix"
    },
    {
      edit: ["labels", { a: "b c" }],
      errors: [`metadata.labels: Invalid value: "b c": ${labelValue}`],
      why: "rejects spaces in a label value"
    },
    {
      edit: ["annotations", { "Example.COM/Team": "any text, at all" }],
      errors: [],
      why: "ignores case in annotation keys"
    },
    {
      edit: ["annotations", { a: "ü".repeat(131_072) }],
      errors: ["metadata.annotations: Too long: may not be more than 262144 bytes"],
      why: "limits annotations by bytes, keys included"
    },
    {
      edit: ["annotations", { a: "x".repeat(262_143) }],
      errors: [],
      why: "accepts exactly 256 KiB of annotations"
    },
    {
      edit: ["ownerReferences", [owner, { ...owner, name: "b" }]],
      errors: [
        `metadata.ownerReferences: Invalid value: ${JSON.stringify([owner, { ...owner, name: "b" }])}: ` +
          'Only one reference can have Controller set to true. Found "true" in references for ' +
          "ReplicaSet/a and ReplicaSet/b"
      ],
      why: "rejects two controllers"
    },
    {
      edit: ["ownerReferences", [{ apiVersion: "", kind: "", name: "", uid: "" }]],
      errors: [
        'metadata.ownerReferences.apiVersion: Invalid value: "": version must not be empty',
        'metadata.ownerReferences.kind: Invalid value: "": must not be empty',
        'metadata.ownerReferences.name: Invalid value: "": must not be empty',
        'metadata.ownerReferences.uid: Invalid value: "": must not be empty'
      ],
      why: "requires all fields of an owner reference"
    },
    {
      edit: ["finalizers", ["example.com/keep", "orphan"]],
      errors: [],
      why: "accepts qualified and standard finalizers"
    },
    {
      edit: ["finalizers", ["keep"]],
      errors: [
        'metadata.finalizers[0]: Invalid value: "keep": name is neither a standard finalizer name ' +
          "nor is it fully qualified"
      ],
      why: "requires a domain in other finalizers"
    },
    {
      edit: ["finalizers", ["orphan", "foregroundDeletion"]],
      errors: [
        'metadata.finalizers: Invalid value: ["orphan","foregroundDeletion"]: ' +
          "finalizer orphan and foregroundDeletion cannot be both set"
      ],
      why: "rejects orphan together with foregroundDeletion"
    }
  ]
  it.each(rows)("$why", ({ edit: [field, value], errors }) => {
    expect(createErrors("ConfigMap", { name: "web", namespace: "shop", [field]: value })).toEqual(errors)
  })
})

describe("metadata of a stored object (TestValidateObjectMetaUpdate*)", () => {
  const stored = edited(
    aDeployment(),
    ["metadata.uid", "u-1"],
    ["metadata.creationTimestamp", "2026-03-01T00:00:07Z"],
    ["metadata.generation", 3],
    ["metadata.finalizers", ["example.com/keep"]]
  )
  const deleting = edited(stored, ["metadata.deletionTimestamp", "2026-03-01T00:01:00Z"])
  const rows: ReadonlyArray<{
    readonly why: string
    readonly edits: ReadonlyArray<Edit>
    readonly errors: ReadonlyArray<string>
    readonly old?: typeof stored
  }> = [
    { why: "lets labels change", edits: [["metadata.labels", { a: "b" }]], errors: [] },
    {
      why: "lets uid and creationTimestamp be omitted",
      edits: [
        ["metadata.uid", undefined],
        ["metadata.creationTimestamp", undefined]
      ],
      errors: []
    },
    {
      why: "keeps the name",
      edits: [["metadata.name", "shop"]],
      errors: ['metadata.name: Invalid value: "shop": field is immutable']
    },
    {
      why: "keeps the uid",
      edits: [["metadata.uid", "u-2"]],
      errors: ['metadata.uid: Invalid value: "u-2": field is immutable']
    },
    {
      why: "keeps deletionTimestamp",
      edits: [["metadata.deletionTimestamp", "2026-03-01T00:00:09Z"]],
      errors: ['metadata.deletionTimestamp: Invalid value: "2026-03-01T00:00:09Z": field is immutable']
    },
    {
      why: "keeps deletionGracePeriodSeconds",
      edits: [["metadata.deletionGracePeriodSeconds", 7]],
      errors: ["metadata.deletionGracePeriodSeconds: Invalid value: 7: field is immutable"]
    },
    {
      why: "rejects a lower generation",
      edits: [["metadata.generation", 2]],
      errors: ["metadata.generation: Invalid value: 2: must not be decremented"]
    },
    {
      why: "rejects new finalizers while the object is being deleted",
      old: deleting,
      edits: [["metadata.finalizers", ["example.com/keep", "example.com/x", "example.com/b"]]],
      errors: [
        "metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, " +
          'found new finalizers []string{"example.com/b", "example.com/x"}'
      ]
    },
    {
      why: "lets finalizers go while the object is being deleted",
      old: deleting,
      edits: [["metadata.finalizers", []]],
      errors: []
    }
  ]
  it.each(rows)("$why", ({ edits, errors, old = stored }) => {
    const problems = errorTexts(validateUpdate(deployments, edited(old, ...edits), old))
    expect(problems.filter((text) => text.startsWith("metadata"))).toEqual(errors)
  })
})

describe("warnings on create (TestDeploymentWarningsOnCreate)", () => {
  it("name a name that is no host name", () => {
    expect(createWarnings(deployments, edited(aDeployment(), ["metadata.name", "web.v2"]))).toEqual([
      "metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; " +
        "a DNS label is recommended: [must not contain dots]"
    ])
    expect(createWarnings(pods, { apiVersion: "v1", kind: "Pod", metadata: { name: "a.b" } })).toEqual([
      "metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; " +
        "a DNS label is recommended: [must not contain dots]"
    ])
  })

  it("omit valid names and names that are rejected anyway", () => {
    expect(createWarnings(deployments, aDeployment())).toEqual([])
    expect(createWarnings(deployments, edited(aDeployment(), ["metadata.name", "Web"]))).toEqual([])
  })

  it("name duplicate ports and variables", () => {
    const deployment = edited(
      aDeployment(),
      [
        "spec.template.spec.containers.0.ports",
        [{ containerPort: 80 }, { containerPort: 80, protocol: "TCP" }]
      ],
      ["spec.template.spec.containers.0.env", [{ name: "A" }, { name: "B" }, { name: "A" }]]
    )
    expect(createWarnings(deployments, deployment)).toEqual([
      'spec.template.spec.containers[0].env[2]: hides previous definition of "A", which may be ' +
        "dropped when using apply",
      "spec.template.spec.containers[0].ports[1]: duplicate port definition with " +
        "spec.template.spec.containers[0].ports[0]"
    ])
  })
})
