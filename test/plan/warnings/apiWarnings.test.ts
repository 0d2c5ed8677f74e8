import { expect, it } from "vitest"
import { readManifestObjects } from "../../../src/manifests/readManifests.ts"
import { manifestWarnings } from "../../../src/plan/warnings/planWarnings.ts"
import { deploymentManifest, podManifest, serviceManifest } from "../../builders.ts"
import type { Manifest } from "../../../src/kubernetes/meta/objects.ts"

const env = [
  { name: "MODE", value: "a" },
  { name: "MODE", value: "b" }
]
const twice = deploymentManifest({ container: { env } })
const hides =
  'containers[0].env[1]: hides previous definition of "MODE", which may be dropped when using apply'

const documentsOf = (...manifests: ReadonlyArray<Manifest>) => readManifestObjects(manifests).documents

it.each([
  {
    why: "of a new workload",
    from: [],
    next: [twice, serviceManifest()],
    warnings: [`Deployment/web: spec.template.spec.${hides}`]
  },
  {
    why: "of a new Pod",
    from: [],
    next: [podManifest("web", { containers: [{ name: "app", image: "app:v1", env }] })],
    warnings: [`Pod/web: spec.${hides}`]
  },
  {
    why: "of a template that changes",
    from: [deploymentManifest({})],
    next: [twice],
    warnings: [`Deployment/web: spec.template.spec.${hides}`]
  },
  { why: "but not of what stays as it is", from: [twice], next: [twice], warnings: [] }
])("what the API server warns of is told $why", ({ from, next, warnings }) => {
  expect(manifestWarnings({ from: documentsOf(...from), next: documentsOf(...next) })).toEqual(warnings)
})
