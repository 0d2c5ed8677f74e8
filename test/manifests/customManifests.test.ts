import { expect, it } from "vitest"
import { readManifestObjects, readManifests } from "../../src/manifests/readManifests.ts"
import { leftOutWarnings } from "../../src/manifests/customResourceTypes.ts"

const named = (apiVersion: string, kind: string) => ({ apiVersion, kind, metadata: { name: "a" } })
const read = (apiVersion: string, kind: string) => {
  const { documents, problems, leftOut } = readManifestObjects([named(apiVersion, kind)], {
    leavesCustom: true
  })
  return { documents: documents.length, problems: problems.map(({ message }) => message), leftOut }
}

it.each([
  { why: "its group is somebody's domain", apiVersion: "example.com/v1", kind: "Widget" },
  { why: "so it is where its name is one of Kubernetes'", apiVersion: "example.com/v1", kind: "Deployment" },
  {
    why: "its group is below one of Kubernetes' own",
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "HTTPRoute"
  },
  {
    why: "its group only looks like Kubernetes' own",
    apiVersion: "cluster.x-k8s.io/v1beta1",
    kind: "Machine"
  }
])("$kind of $apiVersion is a custom resource and left out: $why", ({ apiVersion, kind }) => {
  expect(read(apiVersion, kind)).toEqual({ documents: 0, problems: [], leftOut: [{ apiVersion, kind }] })
})

it.each([
  { why: "the kind is misspelt", apiVersion: "apps/v1", kind: "Deploymnet" },
  { why: "the version is none of it", apiVersion: "apps/v1beta1", kind: "Deployment" },
  { why: "it is none of the core's", apiVersion: "v1", kind: "Widget" },
  {
    why: "the kind is misspelt in a group of two names",
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "Rol"
  },
  { why: "the group is misspelt", apiVersion: "netwroking.k8s.io/v1", kind: "Ingress" },
  { why: "no definition has a group without a domain", apiVersion: "app/v1", kind: "Deployment" },
  { why: "it is one of ours", apiVersion: "charthouse.dev/v1", kind: "Behavior" },
  { why: "its version says nothing", apiVersion: "example.com/v1/widgets", kind: "Widget" }
])("$kind of $apiVersion is a mistake: $why", ({ apiVersion, kind }) => {
  const message = `no matches for kind "${kind}" in version "${apiVersion}"`
  expect(read(apiVersion, kind)).toEqual({ documents: 0, problems: [message], leftOut: [] })
})

it.each([
  { why: "has no kind", value: { apiVersion: "example.com/v1" }, says: /^Object 'Kind' is missing/ },
  {
    why: "has an empty kind",
    value: { apiVersion: "example.com/v1", kind: "" },
    says: /^Object 'Kind' is missing/
  },
  {
    why: "has a number for a kind",
    value: { apiVersion: "example.com/v1", kind: 5 },
    says: /cannot unmarshal number/
  },
  { why: "has no version", value: { kind: "Widget" }, says: /^apiVersion not set$/ },
  {
    why: "has a number for a version",
    value: { apiVersion: 1, kind: "Widget" },
    says: /cannot unmarshal number/
  },
  { why: "is no object", value: "Widget", says: /cannot unmarshal string/ }
])("what $why is no custom resource", ({ value, says }) => {
  const { problems, leftOut } = readManifestObjects([value], { leavesCustom: true })
  expect(problems).toMatchObject([{ message: expect.stringMatching(says) }])
  expect(leftOut).toEqual([])
})

it("what is left out is told once for each kind, also of a List", () => {
  const list = { apiVersion: "v1", kind: "List", items: [named("a.com/v1", "A"), named("b.com/v1", "B")] }
  const text = [named("a.com/v1", "A"), list].map((it) => JSON.stringify(it)).join("\n---\n")
  const { leftOut } = readManifests([{ name: "web.yaml", text }], { strict: true, leavesCustom: true })
  expect(leftOutWarnings(leftOut)).toEqual([
    "A of a.com/v1 is left out: nobody acts on custom resources here",
    "B of b.com/v1 is left out: nobody acts on custom resources here"
  ])
})

it("whoever does not leave custom resources out has them refused", () => {
  const { problems } = readManifestObjects([named("example.com/v1", "Widget")])
  expect(problems).toMatchObject([{ message: 'no matches for kind "Widget" in version "example.com/v1"' }])
})
