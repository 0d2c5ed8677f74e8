import { expect, it } from "vitest"
import { readManifestObjects } from "../../../src/manifests/readManifests.ts"
import { manifestWarnings } from "../../../src/plan/warnings/planWarnings.ts"
import { deploymentManifest } from "../../cluster/testCluster.ts"

it.each([
  { maxUnavailable: 2, isWarned: true },
  { maxUnavailable: "50%", isWarned: true },
  { maxUnavailable: 1, isWarned: false },
  { maxUnavailable: undefined, isWarned: false }
])(
  "maxUnavailable $maxUnavailable of a StatefulSet has a warning: $isWarned",
  ({ maxUnavailable, isWarned }) => {
    const { metadata, spec } = deploymentManifest({})
    const strategy = {
      rollingUpdate: { partition: 0, ...(maxUnavailable === undefined ? {} : { maxUnavailable }) }
    }
    const statefulSet = { serviceName: "web", ...spec, updateStrategy: strategy }
    const manifest = { apiVersion: "apps/v1", kind: "StatefulSet", metadata, spec: statefulSet }
    const warning = `StatefulSet/web asks for maxUnavailable ${maxUnavailable}: release 1.36 drops it, unless the gate MaxUnavailableStatefulSet is on, and replaces its Pods one at a time`
    expect(
      manifestWarnings({ next: readManifestObjects([manifest]).documents }).filter((it) =>
        it.includes("maxUnavailable")
      )
    ).toEqual(isWarned ? [warning] : [])
  }
)
