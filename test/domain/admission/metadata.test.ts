import { describe, expect, it } from "vitest"
import {
  createWarnings,
  validateCreate,
  validateUpdate,
  withDefaults
} from "../../../src/kubernetes/admission/admit.ts"
import { aDeployment, edited, kindNamed, pods, deployments, texts, type Edit } from "./drafts.ts"

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
const label1035 =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an " +
  "alphabetic character, " +
  "and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is " +
  "'[a-z]([-a-z0-9]*[a-z0-9])?')"
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

const aServiceSpec = { spec: { ports: [{ port: 80 }] } }

const created = (kindName: string, metadata: object): ReadonlyArray<string> => {
  const kind = kindNamed(kindName)
  // ConfigMaps stand for every kind without rules of its own.
  const draft = { apiVersion: "v1", kind: kindName, metadata }
  const isService = kindName === "Service"
  return texts(validateCreate(kind, isService ? withDefaults(kind, { ...draft, ...aServiceSpec }) : draft))
}

describe("names (TestValidateObjectMetaNamespaces, TestNameFunctions)", () => {
  it.each([
    { kind: "ConfigMap", name: "a.b-3", problems: [], why: "dots are fine in a subdomain" },
    { kind: "ConfigMap", name: "Web", problems: [subdomain], why: "no capitals" },
    { kind: "ConfigMap", name: "web-", problems: [subdomain], why: "no dash at the end" },
    {
      kind: "ConfigMap",
      name: "a".repeat(254),
      problems: ["must be no more than 253 characters"],
      why: "253 is the most"
    },
    { kind: "Service", name: "3web", problems: [label1035], why: "a service starts with a letter" },
    { kind: "Service", name: "web3", problems: [], why: "a digit later on is fine" },
    { kind: "RoleBinding", name: "system:node", problems: [], why: "RBAC names only need to fit a URL" },
    {
      kind: "RoleBinding",
      name: "a/b%",
      problems: ["may not contain '/'", "may not contain '%'"],
      why: "URL"
    },
    { kind: "Role", name: "..", problems: ["may not be '..'"], why: "no way up" },
    {
      kind: "CronJob",
      name: "c".repeat(53),
      problems: ["must be no more than 52 characters"],
      why: "its Jobs add eleven characters"
    }
  ])("$kind $name: $why", ({ kind, name, problems }) => {
    expect(created(kind, { name, namespace: "shop" })).toEqual(
      problems.map((problem) => `metadata.name: Invalid value: ${JSON.stringify(name)}: ${problem}`)
    )
  })

  it.each([
    { name: "a.b", problem: "must not contain dots", why: "only the dots are wrong" },
    { name: "A.b", problem: label, why: "dots are not all that is wrong" },
    { name: "n".repeat(64), problem: "must be no more than 63 characters", why: "63 is the most" }
  ])("Namespace $name: $why", ({ name, problem }) => {
    expect(created("Namespace", { name })).toEqual([
      `metadata.name: Invalid value: ${JSON.stringify(name)}: ${problem}`
    ])
  })

  it("needs a name or a generateName", () => {
    expect(created("ConfigMap", { namespace: "shop" })).toEqual([
      "metadata.name: Required value: name or generateName is required"
    ])
    expect(created("ConfigMap", { namespace: "shop", generateName: "web-" })).toEqual([])
  })

  it("looks at a generateName as if its suffix were there", () => {
    expect(created("ConfigMap", { namespace: "shop", generateName: "Web-" })).toEqual([
      `metadata.generateName: Invalid value: "Web-": ${subdomain}`
    ])
  })

  it("wants a namespace exactly where the kind lives in one", () => {
    expect(created("ConfigMap", { name: "web" })).toEqual(["metadata.namespace: Required value"])
    expect(created("ConfigMap", { name: "web", namespace: "A" })).toEqual([
      `metadata.namespace: Invalid value: "A": ${label}`
    ])
    expect(created("Node", { name: "n", namespace: "shop" })).toEqual([
      "metadata.namespace: Forbidden: not allowed on this type"
    ])
  })
})

describe("labels, owners and the like (TestValidateAnnotations, TestValidateOwnerReferences)", () => {
  const owner = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "a", uid: "u-1", controller: true }
  const rows: ReadonlyArray<{
    readonly edit: Edit
    readonly errors: ReadonlyArray<string>
    readonly why: string
  }> = [
    {
      edit: ["labels", { "-x": "y" }],
      errors: [`metadata.labels: Invalid value: "-x": ${namePart}`],
      why: "a label key is a qualified name"
    },
    {
      edit: ["labels", { "": "y" }],
      errors: [
        'metadata.labels: Invalid value: "": name part must be non-empty',
        `metadata.labels: Invalid value: "": ${namePart}`
      ],
      why: "an empty key breaks two rules"
    },
    {
      edit: ["labels", { ["k".repeat(64)]: "v".repeat(64) }],
      errors: [
        `metadata.labels: Invalid value: "${"k".repeat(64)}": name part must be no more than 63 bytes`,
        `metadata.labels: Invalid value: "${"v".repeat(64)}": must be no more than 63 bytes`
      ],
      why: "63 bytes on either side"
    },
    {
      edit: ["labels", { "/x": "y", "Up.per/x": "y" }],
      errors: [
        'metadata.labels: Invalid value: "/x": prefix part must be non-empty',
        `metadata.labels: Invalid value: "Up.per/x": prefix part ${subdomain}`
      ],
      why: "a prefix is a subdomain"
    },
    {
      edit: ["labels", { a: "b c" }],
      errors: [`metadata.labels: Invalid value: "b c": ${labelValue}`],
      why: "no spaces in a value"
    },
    {
      edit: ["annotations", { "Example.COM/Team": "any text, at all" }],
      errors: [],
      why: "case does not matter"
    },
    {
      edit: ["annotations", { a: "ü".repeat(131_072) }],
      errors: ["metadata.annotations: Too long: may not be more than 262144 bytes"],
      why: "bytes are counted, not characters, and keys count"
    },
    { edit: ["annotations", { a: "x".repeat(262_143) }], errors: [], why: "exactly 256 KiB is fine" },
    {
      edit: ["ownerReferences", [owner, { ...owner, name: "b" }]],
      errors: [
        `metadata.ownerReferences: Invalid value: ${JSON.stringify([owner, { ...owner, name: "b" }])}: ` +
          'Only one reference can have Controller set to true. Found "true" in references for ' +
          "ReplicaSet/a and ReplicaSet/b"
      ],
      why: "one controller"
    },
    {
      edit: ["ownerReferences", [{ apiVersion: "", kind: "", name: "", uid: "" }]],
      errors: [
        'metadata.ownerReferences.apiVersion: Invalid value: "": version must not be empty',
        'metadata.ownerReferences.kind: Invalid value: "": must not be empty',
        'metadata.ownerReferences.name: Invalid value: "": must not be empty',
        'metadata.ownerReferences.uid: Invalid value: "": must not be empty'
      ],
      why: "an owner is named in full"
    },
    {
      edit: ["finalizers", ["example.com/keep", "orphan"]],
      errors: [],
      why: "own and standard finalizers"
    },
    {
      edit: ["finalizers", ["keep"]],
      errors: [
        'metadata.finalizers[0]: Invalid value: "keep": name is neither a standard finalizer name ' +
          "nor is it fully qualified"
      ],
      why: "an own finalizer needs a domain"
    },
    {
      edit: ["finalizers", ["orphan", "foregroundDeletion"]],
      errors: [
        'metadata.finalizers: Invalid value: ["orphan","foregroundDeletion"]: ' +
          "finalizer orphan and foregroundDeletion cannot be both set"
      ],
      why: "dependents cannot be both kept and deleted"
    }
  ]
  it.each(rows)("$why", ({ edit: [field, value], errors }) => {
    expect(created("ConfigMap", { name: "web", namespace: "shop", [field]: value })).toEqual(errors)
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
    { why: "labels may change", edits: [["metadata.labels", { a: "b" }]], errors: [] },
    {
      why: "what the server keeps may be left out",
      edits: [
        ["metadata.uid", undefined],
        ["metadata.creationTimestamp", undefined]
      ],
      errors: []
    },
    {
      why: "the name stays",
      edits: [["metadata.name", "shop"]],
      errors: ['metadata.name: Invalid value: "shop": field is immutable']
    },
    {
      why: "another uid is another object",
      edits: [["metadata.uid", "u-2"]],
      errors: ['metadata.uid: Invalid value: "u-2": field is immutable']
    },
    {
      why: "only a delete sets the time of deletion",
      edits: [["metadata.deletionTimestamp", "2026-03-01T00:00:09Z"]],
      errors: ['metadata.deletionTimestamp: Invalid value: "2026-03-01T00:00:09Z": field is immutable']
    },
    {
      why: "and its grace period",
      edits: [["metadata.deletionGracePeriodSeconds", 7]],
      errors: ["metadata.deletionGracePeriodSeconds: Invalid value: 7: field is immutable"]
    },
    {
      why: "generations do not go back",
      edits: [["metadata.generation", 2]],
      errors: ["metadata.generation: Invalid value: 2: must not be decremented"]
    },
    {
      why: "what is being deleted takes no new finalizers",
      old: deleting,
      edits: [["metadata.finalizers", ["example.com/keep", "example.com/x", "example.com/b"]]],
      errors: [
        "metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, " +
          'found new finalizers []string{"example.com/b", "example.com/x"}'
      ]
    },
    { why: "but it may lose them", old: deleting, edits: [["metadata.finalizers", []]], errors: [] }
  ]
  it.each(rows)("$why", ({ edits, errors, old = stored }) => {
    const problems = texts(validateUpdate(deployments, edited(old, ...edits), old))
    expect(problems.filter((text) => text.startsWith("metadata"))).toEqual(errors)
  })
})

describe("warnings of a create (TestDeploymentWarningsOnCreate)", () => {
  it("says when a name is no host name", () => {
    expect(createWarnings(deployments, edited(aDeployment(), ["metadata.name", "web.v2"]))).toEqual([
      "metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; " +
        "a DNS label is recommended: [must not contain dots]"
    ])
    expect(createWarnings(pods, { apiVersion: "v1", kind: "Pod", metadata: { name: "a.b" } })).toEqual([
      "metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; " +
        "a DNS label is recommended: [must not contain dots]"
    ])
  })

  it("says nothing of a good name, nor of one that is refused anyway", () => {
    expect(createWarnings(deployments, aDeployment())).toEqual([])
    expect(createWarnings(deployments, edited(aDeployment(), ["metadata.name", "Web"]))).toEqual([])
  })

  it("finds ports and variables that are given twice", () => {
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
