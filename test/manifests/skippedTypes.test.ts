import { expect, it } from "vitest"
import { readManifestObjects, readManifests } from "../../src/manifests/readManifests.ts"
import { skippedTypeWarnings } from "../../src/manifests/skippedTypes.ts"

const aManifest = (apiVersion: string, kind: string) => ({ apiVersion, kind, metadata: { name: "a" } })
const read = (apiVersion: string, kind: string, skipsRemovedVersions = false) => {
  const { documents, problems, skippedTypes } = readManifestObjects([aManifest(apiVersion, kind)], {
    skipsCustomResources: true,
    skipsRemovedVersions
  })
  return { documents: documents.length, problems: problems.map(({ message }) => message), skippedTypes }
}

it.each([
  { why: "its group has a domain", apiVersion: "example.com/v1", kind: "Widget" },
  { why: "its kind has the name of a built-in kind", apiVersion: "example.com/v1", kind: "Deployment" },
  {
    why: "its group is below a group of Kubernetes",
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "HTTPRoute"
  },
  {
    why: "its group only resembles one of Kubernetes",
    apiVersion: "cluster.x-k8s.io/v1beta1",
    kind: "Machine"
  },
  {
    why: "its group is one of Kubernetes that has definitions",
    apiVersion: "autoscaling.k8s.io/v1",
    kind: "VerticalPodAutoscaler"
  }
])("leaves out $kind of $apiVersion as a custom resource: $why", ({ apiVersion, kind }) => {
  expect(read(apiVersion, kind)).toEqual({ documents: 0, problems: [], skippedTypes: [{ apiVersion, kind }] })
})

it.each([
  { why: "the kind is misspelt", apiVersion: "apps/v1", kind: "Deploymnet" },
  { why: "the version is not served", apiVersion: "apps/v1beta1", kind: "Deployment" },
  { why: "the group is no longer served", apiVersion: "extensions/v1beta1", kind: "DaemonSet" },
  { why: "the version never was served", apiVersion: "policy/v2", kind: "PodDisruptionBudget" },
  { why: "the core group has no such kind", apiVersion: "v1", kind: "Widget" },
  {
    why: "the kind is misspelt in a group of several parts",
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "Rol"
  },
  { why: "the group is misspelt", apiVersion: "netwroking.k8s.io/v1", kind: "Ingress" },
  { why: "a group without a domain is not custom", apiVersion: "app/v1", kind: "Deployment" },
  { why: "the kind is one of Charthouse", apiVersion: "charthouse.dev/v1", kind: "Behavior" },
  { why: "the version is invalid", apiVersion: "example.com/v1/widgets", kind: "Widget" }
])("rejects $kind of $apiVersion as a mistake: $why", ({ apiVersion, kind }) => {
  const message = `no matches for kind "${kind}" in version "${apiVersion}"`
  expect(read(apiVersion, kind)).toEqual({ documents: 0, problems: [message], skippedTypes: [] })
})

it.each([
  { why: "has no kind", value: { apiVersion: "example.com/v1" }, expected: /^Object 'Kind' is missing/ },
  {
    why: "has an empty kind",
    value: { apiVersion: "example.com/v1", kind: "" },
    expected: /^Object 'Kind' is missing/
  },
  {
    why: "has a number for a kind",
    value: { apiVersion: "example.com/v1", kind: 5 },
    expected: /cannot unmarshal number/
  },
  { why: "has no version", value: { kind: "Widget" }, expected: /^apiVersion not set$/ },
  {
    why: "has a number for a version",
    value: { apiVersion: 1, kind: "Widget" },
    expected: /cannot unmarshal number/
  },
  { why: "is no object", value: "Widget", expected: /cannot unmarshal string/ }
])("rejects what $why", ({ value, expected }) => {
  const { problems, skippedTypes } = readManifestObjects([value], { skipsCustomResources: true })
  expect(problems).toMatchObject([{ message: expect.stringMatching(expected) }])
  expect(skippedTypes).toEqual([])
})

it("reports each left-out kind once, also from a List", () => {
  const list = {
    apiVersion: "v1",
    kind: "List",
    items: [aManifest("a.com/v1", "A"), aManifest("b.com/v1", "B")]
  }
  const text = [aManifest("a.com/v1", "A"), list].map((it) => JSON.stringify(it)).join("\n---\n")
  const { skippedTypes } = readManifests([{ name: "web.yaml", text }], {
    strict: true,
    skipsCustomResources: true
  })
  expect(skippedTypeWarnings(skippedTypes)).toEqual([
    "A of a.com/v1, B of b.com/v1 are left out: no controller acts on custom resources here"
  ])
})

it.each([
  { apiVersion: "policy/v1beta1", kind: "PodSecurityPolicy" },
  { apiVersion: "policy/v1beta1", kind: "PodDisruptionBudget" },
  { apiVersion: "extensions/v1beta1", kind: "Ingress" },
  { apiVersion: "rbac.authorization.k8s.io/v1beta1", kind: "ClusterRole" },
  { apiVersion: "apiextensions.k8s.io/v1beta1", kind: "CustomResourceDefinition" },
  { apiVersion: "batch/v1beta1", kind: "CronJob" },
  { apiVersion: "autoscaling/v2beta2", kind: "HorizontalPodAutoscaler" }
])("rejects $kind of $apiVersion, which Kubernetes no longer serves, unless it runs before", (type) => {
  const { apiVersion, kind } = type
  const message = `no matches for kind "${kind}" in version "${apiVersion}"`
  expect(read(apiVersion, kind)).toEqual({ documents: 0, problems: [message], skippedTypes: [] })
  const { skippedTypes, ...others } = read(apiVersion, kind, true)
  expect(others).toEqual({ documents: 0, problems: [] })
  expect(skippedTypeWarnings([...skippedTypes, { apiVersion: "a.com/v1", kind: "A" }])).toEqual([
    "A of a.com/v1 is left out: no controller acts on custom resources here",
    `${kind} of ${apiVersion} is left out: release 1.36 does not serve that`
  ])
})

it.each([
  { apiVersion: "resource.k8s.io/v1beta1", kind: "ResourceClaimTemplate" },
  { apiVersion: "networking.k8s.io/v1beta1", kind: "ServiceCIDR" }
])("leaves out $kind of $apiVersion, which a server may be told to serve", ({ apiVersion, kind }) => {
  const { skippedTypes, ...others } = read(apiVersion, kind)
  expect(others).toEqual({ documents: 0, problems: [] })
  expect(skippedTypeWarnings(skippedTypes)).toEqual([
    `${kind} of ${apiVersion} is left out: release 1.36 serves that only if its --runtime-config says so`
  ])
})

it("rejects custom resources when they are not left out", () => {
  const { problems } = readManifestObjects([aManifest("example.com/v1", "Widget")])
  expect(problems).toMatchObject([{ message: 'no matches for kind "Widget" in version "example.com/v1"' }])
})
