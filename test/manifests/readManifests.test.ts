import { describe, expect, it } from "vitest"
import { problemText } from "../../src/manifests/manifestDocument.ts"
import { readManifests } from "../../src/manifests/readManifests.ts"
import { valueAt } from "../kubernetes/admission/drafts.ts"

const read = (text: string, strict = true) => readManifests([{ name: "web.yaml", text }], { strict })

const problemsIn = (text: string, strict = true): ReadonlyArray<string> =>
  read(text, strict).problems.map(problemText)

const warningsIn = (text: string): ReadonlyArray<string> => read(text, false).warnings.map(problemText)

/** The position and name of each object: `2 web.yaml:3 Deployment shop/web`. */
const outline = (text: string): ReadonlyArray<string> =>
  read(text).documents.map(({ document, file, line, draft }) => {
    const { namespace, name } = draft.metadata
    return `${document} ${file}:${line} ${draft.kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`
  })

const configMap = (name: string): string => `apiVersion: v1
kind: ConfigMap
metadata:
  name: ${name}
`

const deployment = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: 3
  selector:
    matchLabels: {app: web}
  template:
    metadata:
      labels:
        app: web
    spec:
      containers:
      - name: app
        image: registry.example/app:v3
`

const wrongType = (field: string): string =>
  'Deployment in version "v1" cannot be handled as a Deployment: ' +
  `json: cannot unmarshal string into Go struct field ${field}`

describe("reading manifests", () => {
  it.each([
    { why: "one document", text: configMap("a"), expected: ["1 web.yaml:1 ConfigMap default/a"] },
    {
      why: "several documents, empty ones counted",
      text: `---\n---\n${configMap("a")}---\n# nothing\n---\n${configMap("b")}...\n`,
      expected: ["2 web.yaml:3 ConfigMap default/a", "4 web.yaml:10 ConfigMap default/b"]
    },
    {
      why: "objects in JSON that follow each other, as kubectl reads them",
      text: `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"a": "}{\\""}}
{
  "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "b"}
} {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}}\n`,
      expected: [
        "1 web.yaml:1 ConfigMap default/a",
        "2 web.yaml:2 ConfigMap default/b",
        "3 web.yaml:4 ConfigMap default/c"
      ]
    },
    {
      why: "no namespace for a cluster-scoped kind",
      text: "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n",
      expected: ["1 web.yaml:1 Namespace shop"]
    },
    {
      why: "a given namespace, the default for an empty one",
      text: `${configMap("a")}  namespace: shop\n---\n${configMap("b")}  namespace: ""\n`,
      expected: ["1 web.yaml:1 ConfigMap shop/a", "2 web.yaml:7 ConfigMap default/b"]
    },
    {
      why: "JSON with tabs",
      text: '{\n\t"apiVersion": "v1",\n\t"kind": "ConfigMap",\n\t"metadata": {"name": "a"}\n}\n',
      expected: ["1 web.yaml:1 ConfigMap default/a"]
    },
    {
      why: "the items of a List, nested ones included, at their own lines",
      text:
        "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n" +
        "- apiVersion: v1\n  kind: List\n  items:\n  - apiVersion: v1\n    kind: Secret\n    metadata: {name: b}\n",
      expected: ["1 web.yaml:4 ConfigMap default/a", "1 web.yaml:8 Secret default/b"]
    },
    {
      why: "the items of a typed list, which have its type unless they have one",
      text:
        "apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleList\nmetadata: {resourceVersion: '7'}\nitems:\n" +
        "- {metadata: {name: a, namespace: shop}}\n" +
        "- {apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {name: b}}\n" +
        "---\napiVersion: v1\nkind: ConfigMapList\nitems: []\n",
      expected: ["1 web.yaml:5 Role shop/a", "1 web.yaml:6 Role default/b"]
    },
    {
      why: "equal names in two namespaces or of two kinds",
      text: `${configMap("a")}---\n${configMap("a")}  namespace: shop\n---\n${configMap("a").replace("ConfigMap", "Secret")}`,
      expected: [
        "1 web.yaml:1 ConfigMap default/a",
        "2 web.yaml:6 ConfigMap shop/a",
        "3 web.yaml:12 Secret default/a"
      ]
    }
  ])("$why", ({ text, expected }) => {
    expect(problemsIn(text)).toEqual([])
    expect(outline(text)).toEqual(expected)
  })

  it.each([
    { why: "a mode in octal", yaml: "0644", value: 420 },
    { why: "a mode with the prefix 0o", yaml: "0o17", value: 15 },
    { why: "no octal number with an eight", yaml: "0789", value: 789 },
    { why: "yes as in YAML 1.1", yaml: "yes", value: true },
    { why: "Off as in YAML 1.1", yaml: "Off", value: false },
    { why: "a string in quotes", yaml: '"yes"', value: "yes" },
    { why: "a longer word is a string", yaml: "yesterday", value: "yesterday" },
    { why: "a date is a string", yaml: "2026-01-01", value: "2026-01-01" },
    { why: "a time of day is no number in base 60", yaml: "22:33", value: "22:33" },
    { why: "an unknown tag is ignored", yaml: "!!binary aGk=", value: "aGk=" },
    { why: "an empty value is null", yaml: "", value: null }
  ])("reads $yaml as kubectl does: $why", ({ yaml, value }) => {
    expect(valueAt(read(`${configMap("a")}x: ${yaml}\n`, false).documents[0]?.rawFields ?? {}, "x")).toEqual(
      value
    )
  })

  it("resolves anchors, aliases and merge keys", () => {
    const text = `${configMap("a")}data: &d {k: v, l: w}\n---\n${configMap("b")}data:\n  <<: {k: v}\n  k: own\n`
    expect(read(text).documents.map(({ draft }) => valueAt(draft, "data"))).toEqual([
      { k: "v", l: "w" },
      { k: "own" }
    ])
    const aliased = `${configMap("a")}  labels: &l {app: web}\n  annotations: *l\n`
    expect(valueAt(read(aliased).documents[0]?.draft ?? {}, "metadata.annotations")).toEqual({ app: "web" })
  })

  it("treats __proto__ and constructor as ordinary keys", () => {
    const { documents } = read(`${configMap("a")}data: {__proto__: own, constructor: own}\n`)
    const data = valueAt(documents[0]?.draft ?? {}, "data")
    expect(Object.entries(Object(data))).toEqual([
      ["__proto__", "own"],
      ["constructor", "own"]
    ])
    expect(valueAt({}, "polluted")).toBe(undefined)
    const { problems } = read("__proto__: {kind: ConfigMap, apiVersion: v1}\n")
    expect(problems.map(({ message }) => message)).toEqual([
      `Object 'Kind' is missing in '{"__proto__":{"kind":"ConfigMap","apiVersion":"v1"}}'`
    ])
  })

  it("keeps nulls in the written document, but not in the draft", () => {
    const { documents } = read(deployment.replace("replicas: 3", "replicas: null"))
    expect(valueAt(documents[0]?.rawFields ?? {}, "spec.replicas")).toBe(null)
    expect(valueAt(documents[0]?.draft ?? {}, "spec.replicas")).toBe(undefined)
  })

  it("separates Behaviours, with their lines", () => {
    const text = `${configMap("a")}---\napiVersion: charthouse.dev/v1\nkind: Behaviour\nspec:\n  start: 3s\n`
    const { documents, behaviours, problems } = read(text)
    expect([documents.length, problems]).toEqual([1, []])
    expect(
      behaviours.map(({ document, line, placeOf }) => [document, line, placeOf(["spec", "start"])])
    ).toEqual([[2, 6, { line: 9, column: 3 }]])
    expect(valueAt(Object(behaviours[0]?.value), "spec.start")).toBe("3s")
  })
})

describe("problems of a manifest and their lines", () => {
  it.each([
    {
      why: "invalid YAML, without affecting the next document",
      text: `a:\n  b: c: d\n---\n${configMap("a")}x: 1\n`,
      problems: [
        "web.yaml:2:6: not readable as YAML: nested mappings are not allowed in compact mappings",
        'web.yaml:8:1: ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "x"'
      ]
    },
    {
      why: "a template that was not rendered",
      text: "kind: Deployment\nspec:\n  replicas: {{ .Values.replicas }}\n",
      problems: [
        "web.yaml:3:14: not readable as YAML: {{ .Values.replicas }} is a template that was not rendered"
      ]
    },
    {
      why: "a list",
      text: "- a\n",
      problems: [
        "web.yaml:1:1: couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value of type " +
          'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'
      ]
    },
    {
      why: "no kind",
      text: "\napiVersion: v1\nmetadata: {name: a}\n",
      problems: [`web.yaml:2:1: Object 'Kind' is missing in '{"apiVersion":"v1","metadata":{"name":"a"}}'`]
    },
    {
      why: "no version",
      text: "kind: Pod\n",
      problems: ["web.yaml:1:1: apiVersion not set"]
    },
    {
      why: "a kind that is not served",
      text: "apiVersion: extensions/v1beta1\n# long gone\nkind: Deployment\n",
      problems: ['web.yaml:3:1: no matches for kind "Deployment" in version "extensions/v1beta1"']
    },
    {
      why: "a wrong type, at the key even if the value is below it",
      text: `${configMap("a")}---\n${deployment.replace("replicas: 3", 'replicas:\n    "3"')}`,
      problems: [`web.yaml:11:3: ${wrongType("DeploymentSpec.spec.replicas of type int32")}`]
    },
    {
      why: "a wrong type in a list",
      text: deployment.replace("  image:", "  ports:\n        - {containerPort: http}\n        image:"),
      problems: [
        `web.yaml:17:12: ${wrongType("ContainerPort.spec.template.spec.containers.ports.containerPort of type int32")}`
      ]
    },
    {
      why: "unknown fields, at the first",
      text: deployment.replace("  replicas: 3", "  replica: 3\n  stategy: {}"),
      problems: [
        'web.yaml:6:3: Deployment in version "v1" cannot be handled as a Deployment: ' +
          'strict decoding error: unknown field "spec.replica", unknown field "spec.stategy"'
      ]
    },
    {
      why: "the items of a List",
      text: "apiVersion: v1\nkind: List\nitems:\n- kind: Pod\n-\n- {apiVersion: v1, kind: ConfigMap, datum: {k: v}}\n",
      problems: [
        "web.yaml:4:3: apiVersion not set",
        "web.yaml:5:2: Object 'Kind' is missing in 'null'",
        'web.yaml:6:37: ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "datum"'
      ]
    },
    {
      why: "a List without a list",
      text: "apiVersion: v1\nkind: List\nitems: {}\n",
      problems: ['web.yaml:3:1: List in version "v1" cannot be handled as a List: items is no list']
    },
    {
      why: "a typed list without a list",
      text: "apiVersion: v1\nkind: SecretList\nitems: {}\n",
      problems: [
        'web.yaml:3:1: SecretList in version "v1" cannot be handled as a SecretList: items is no list'
      ]
    },
    {
      why: "the list of a kind that is not served",
      text: "apiVersion: v1\nkind: ShipList\nitems: []\n",
      problems: ['web.yaml:2:1: no matches for kind "ShipList" in version "v1"']
    },
    {
      why: "an unknown alias",
      text: `${configMap("a")}data: *gone\n`,
      problems: ["web.yaml:5:7: not readable as YAML: unknown anchor 'gone' referenced"]
    },
    {
      why: "a recursive anchor",
      text: `${configMap("a")}data: &d\n  k: *d\n`,
      problems: ["web.yaml:6:6: not readable as YAML: anchor 'd' value contains itself"]
    },
    {
      why: "a merge of something else than a map",
      text: `${configMap("a")}data: {<<: 7}\n`,
      problems: [
        "web.yaml:1:1: not readable as YAML: map merge requires map or sequence of maps as the value"
      ]
    },
    { why: "an empty file", text: "", problems: ["web.yaml: there is no object in this file"] },
    { why: "only a comment", text: "# soon\n---\n", problems: ["web.yaml: there is no object in this file"] }
  ])("$why", ({ text, problems }) => {
    expect(problemsIn(text)).toEqual(problems)
  })

  it("become warnings when reading is not strict", () => {
    const text = `${deployment.replace("  replicas: 3", "  replica: 3")}        image: registry.example/app:v4\n`
    expect(warningsIn(text)).toEqual([
      'web.yaml:17:9: duplicate field "spec.template.spec.containers[0].image": the last one holds',
      'web.yaml:6:3: unknown field "spec.replica"'
    ])
    const draft = read(text, false).documents[0]?.draft ?? {}
    expect(valueAt(draft, "spec.template.spec.containers.0.image")).toBe("registry.example/app:v4")
    expect(valueAt(draft, "spec.replica")).toBe(undefined)
  })

  it("include a warning for a file without objects among others", () => {
    const files = [
      { name: "a.yaml", text: configMap("a") },
      { name: "b.yaml", text: "# later" }
    ]
    const { problems, warnings } = readManifests(files, { strict: true })
    expect(problems).toEqual([])
    expect(warnings.map(problemText)).toEqual(["b.yaml: there is no object in this file"])
  })
})

describe("of what a manifest gives twice, the last one holds,", () => {
  it.each([
    {
      why: "a field",
      text: `${deployment}        image: registry.example/app:v4\n`,
      warnings: [
        'web.yaml:17:9: duplicate field "spec.template.spec.containers[0].image": the last one holds'
      ],
      path: "spec.template.spec.containers.0.image",
      value: "registry.example/app:v4"
    },
    {
      why: "a field of a List's item",
      text: "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {k: v}, data: {k: w}}\n",
      warnings: ['web.yaml:4:72: duplicate field "data": the last one holds'],
      path: "data.k",
      value: "w"
    },
    {
      why: "an object",
      text: `${deployment}---\n${configMap("web")}---\n${deployment}  paused: true\n`,
      warnings: ['web.yaml:23:1: deployments.apps "web" is given twice: this one replaces web.yaml:1:1'],
      path: "spec.paused",
      value: true
    }
  ])("$why", ({ text, warnings, path, value }) => {
    expect(problemsIn(text)).toEqual([])
    expect(warningsIn(text)).toEqual(warnings)
    expect(valueAt(read(text, true).documents[0]?.draft ?? {}, path)).toBe(value)
  })

  it("an object of another file", () => {
    const files = [
      { name: "a.yaml", text: configMap("a") },
      { name: "b.yaml", text: `# again\n${configMap("a")}data: {k: v}\n` }
    ]
    const { documents, problems, warnings } = readManifests(files, { strict: true })
    expect(problems).toEqual([])
    expect(warnings.map(problemText)).toEqual([
      'b.yaml:2:1: configmaps "a" is given twice: this one replaces a.yaml:1:1'
    ])
    expect(documents.map(({ file }) => file)).toEqual(["b.yaml"])
  })
})

describe("limits of a manifest", () => {
  it.each([
    { why: "accept an object of the exact size", bytes: 3_145_728, problems: 0 },
    { why: "reject a byte more", bytes: 3_145_729, problems: 1 }
  ])("$why", ({ bytes, problems }) => {
    const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { k: "" } }
    const k = "-".repeat(bytes - JSON.stringify(object).length)
    const expected = problemsIn(JSON.stringify({ ...object, data: { k } }))
    expect(expected).toEqual(
      problems === 0 ? [] : ["web.yaml:1:1: Request entity too large: limit is 3145728"]
    )
  })

  it("count bytes, not characters", () => {
    expect(problemsIn(`${configMap("a")}data:\n  k: ${"é".repeat(1_600_000)}\n`)).toHaveLength(1)
  })

  it("are those of an object: a file may have many", () => {
    const half = "-".repeat(2_000_000)
    expect(
      problemsIn(`${configMap("a")}data: {k: "${half}"}\n---\n${configMap("b")}data: {k: "${half}"}\n`)
    ).toEqual([])
  })

  it("reject a few lines that expand to billions of values", () => {
    const levels = ["a", "b", "c", "d", "e", "f", "g"]
    const lines = levels.map((name, level) => {
      const below = level === 0 ? "x" : `*${levels[level - 1]}`
      return `${name}: &${name} [${Array.from({ length: 9 }, () => below).join(", ")}]`
    })
    expect(problemsIn(`${lines.join("\n")}\n`)).toEqual([
      "web.yaml:1:1: not readable as YAML: document contains excessive aliasing"
    ])
    const many = Array.from({ length: 1001 }, (_, index) => `k${index}: &a${index} v\nl${index}: *a${index}`)
    expect(problemsIn(many.join("\n"))[0]).toContain("excessive aliasing")
  })

  it("reject deeply nested lists", () => {
    const [problem] = problemsIn(`${"[".repeat(20_000)}${"]".repeat(20_000)}`)
    expect(problem).toMatch(/^web\.yaml:1:\d+: not readable as YAML: nested too deeply$/)
  })

  it("shorten a large document in a message", () => {
    const [problem = ""] = problemsIn(`data: ${"x".repeat(50_000)}\n`)
    expect(problem.length).toBeLessThan(1100)
    expect(problem).toContain("Object 'Kind' is missing in")
  })
})
