import { describe, expect, it } from "vitest"
import { createNext, createWhole } from "../../src/kubernetes/apps/deploymentCommands.ts"
import {
  draftReplicaSet,
  nextReplicaSetName,
  planRenumbering,
  revisionToPublish
} from "../../src/kubernetes/apps/revisions/newReplicaSet.ts"
import { templateHashLabel, templateHash } from "../../src/kubernetes/apps/revisions/podTemplates.ts"
import {
  revisionHistoryAnnotation,
  revisionAnnotation
} from "../../src/kubernetes/apps/revisions/revisions.ts"
import { aDeployment, anObservation, aReplicaSet, aTemplate } from "../builders.ts"
import type { DeploymentCommands } from "../../src/kubernetes/apps/deploymentCommands.ts"
import type { DeploymentOptions, ReplicaSetOptions } from "../builders.ts"

const seenOf = (deployment: DeploymentOptions, replicaSets: ReadonlyArray<ReplicaSetOptions> = []) =>
  anObservation({
    deployment: aDeployment(deployment),
    replicaSets: replicaSets.map((it) => aReplicaSet(it))
  })

describe("a ReplicaSet is named for its Deployment and its template (TestGenerateReplicaSetName)", () => {
  const hash = templateHash(aTemplate("v3"), undefined)
  const room = 253 - hash.length - 1
  it.each([
    { why: "short name", name: "my-deployment", part: "my-deployment" },
    { why: "maximum length without truncating", name: "a".repeat(room), part: "a".repeat(room) },
    { why: "one too many is cut off", name: `${"b".repeat(room)}x`, part: "b".repeat(room) },
    { why: "the longest name there is", name: "c".repeat(253), part: "c".repeat(room) }
  ])("$why", ({ name, part }) => {
    const made = nextReplicaSetName(aDeployment({ name }))
    expect(made).toBe(`${part}-${hash}`)
    expect(made.length).toBeLessThanOrEqual(253)
  })

  it("a counted collision gives another name, also where the count is 0", () => {
    const names = [undefined, 0, 1, 2].map((collisionCount) =>
      nextReplicaSetName(aDeployment(collisionCount === undefined ? {} : { status: { collisionCount } }))
    )
    expect(new Set(names).size).toBe(4)
  })
})

describe("a new ReplicaSet", () => {
  it("carries the template's labels and the hash, the Deployment's selector and annotations, and the sizes", () => {
    const template = aTemplate("v3", { labels: { tier: "front" }, annotations: { note: "hi" } })
    const seen = seenOf(
      {
        replicas: 7,
        surge: 2,
        template,
        minReadySeconds: 5,
        labels: { app: "web", team: "red" },
        annotations: {
          "kubernetes.io/change-cause": "a better one",
          "deprecated.deployment.rollback.to": "1"
        },
        revision: "4"
      },
      [{ version: "v1", replicas: 6, revision: "4" }]
    )
    const hash = templateHash(template, undefined)
    const labels = { app: "web", tier: "front", [templateHashLabel]: hash }
    expect(draftReplicaSet(seen, 3)).toEqual({
      apiVersion: "apps/v1",
      kind: "ReplicaSet",
      metadata: {
        name: `web-${hash}`,
        namespace: "shop",
        labels,
        annotations: {
          "kubernetes.io/change-cause": "a better one",
          "deployment.kubernetes.io/revision": "5",
          "deployment.kubernetes.io/desired-replicas": "7",
          "deployment.kubernetes.io/max-replicas": "9"
        },
        ownerReferences: [
          {
            apiVersion: "apps/v1",
            kind: "Deployment",
            name: "web",
            uid: "uid-web",
            controller: true,
            blockOwnerDeletion: true
          }
        ]
      },
      spec: {
        replicas: 3,
        minReadySeconds: 5,
        selector: { matchLabels: { app: "web", [templateHashLabel]: hash } },
        template: { metadata: { labels, annotations: { note: "hi" } }, spec: template.spec }
      }
    })
  })

  it("has no minReadySeconds where its Deployment has none", () => {
    expect(Object.keys(draftReplicaSet(seenOf({}), 3).spec)).toEqual(["replicas", "selector", "template"])
  })

  it.each([
    { why: "the first one at full size", old: 0, replicas: 7, size: 7 },
    { why: "the surge has room for two", old: 7, replicas: 7, size: 2 },
    { why: "there is no room", old: 11, replicas: 7, size: 0 }
  ])("beside $old of $replicas begins with $size: $why; whole where that is said", (row) => {
    const { old, replicas, size } = row
    const seen = seenOf({ replicas }, [{ version: "v1", replicas: old }])
    const sizesOf = (commands: DeploymentCommands): ReadonlyArray<number | undefined> =>
      commands.map((it) => (it.type === "createReplicaSet" ? it.replicaSet.spec.replicas : undefined))
    expect(sizesOf(createNext(seen))).toEqual([size])
    expect(sizesOf(createWhole(seen))).toEqual([replicas])
  })

  it("Recreate remembers no surge", () => {
    const { metadata } = draftReplicaSet(seenOf({ strategy: "Recreate", replicas: 7 }), 7)
    expect(metadata.annotations).toMatchObject({
      "deployment.kubernetes.io/desired-replicas": "7",
      "deployment.kubernetes.io/max-replicas": "7"
    })
  })

  it("keeps a selector of expressions beside the hash", () => {
    const seen = seenOf({})
    const matchExpressions = [{ key: "app", operator: "In", values: ["web", "site"] }]
    const deployment = {
      ...seen.deployment,
      spec: { ...seen.deployment.spec, selector: { matchExpressions } }
    }
    expect(draftReplicaSet({ ...seen, deployment }, 3).spec.selector).toEqual({
      matchExpressions,
      matchLabels: { [templateHashLabel]: templateHash(deployment.spec.template, undefined) }
    })
  })
})

interface RenumberRow {
  readonly why: string
  readonly deployment?: DeploymentOptions
  readonly next: ReplicaSetOptions
  readonly previous?: ReadonlyArray<ReplicaSetOptions>
  readonly wanted: object | undefined
}

describe("the ReplicaSet of the present template keeps in step (getNewReplicaSet)", () => {
  it.each<RenumberRow>([
    { why: "in step", next: { revision: "1" }, wanted: undefined },
    {
      why: "an adopted one without a number gets one, and no history",
      next: {},
      previous: [{ version: "v1", revision: "3" }],
      wanted: { annotations: { [revisionAnnotation]: "4" }, minReadySeconds: 0 }
    },
    {
      why: "the Deployment came back to it: the old number is history",
      next: { revision: "1" },
      previous: [{ version: "v1", revision: "2" }],
      wanted: {
        annotations: { [revisionAnnotation]: "3", [revisionHistoryAnnotation]: "1" },
        minReadySeconds: 0
      }
    },
    {
      why: "it is never numbered down, also when old ones were deleted",
      next: { revision: "8" },
      previous: [{ version: "v1", revision: "2" }],
      wanted: undefined
    },
    {
      why: "an old one that cannot be read is passed over",
      next: { revision: "1" },
      previous: [{ version: "v1", revision: "latest" }],
      wanted: undefined
    },
    {
      why: "an annotation of the Deployment arrives",
      deployment: { annotations: { note: "hi", "kubectl.kubernetes.io/last-applied-configuration": "{}" } },
      next: { revision: "1" },
      wanted: { annotations: { [revisionAnnotation]: "1", note: "hi" }, minReadySeconds: 0 }
    },
    {
      why: "one that the Deployment has lost stays",
      next: { revision: "1", annotations: { note: "hi" } },
      wanted: undefined
    },
    {
      why: "minReadySeconds follow",
      deployment: { minReadySeconds: 7 },
      next: { revision: "1", minReadySeconds: 3 },
      wanted: { annotations: { [revisionAnnotation]: "1" }, minReadySeconds: 7 }
    },
    {
      why: "none and 0 are the same wait",
      deployment: { minReadySeconds: 0 },
      next: { revision: "1" },
      wanted: undefined
    },
    {
      why: "the size that it remembers is not looked at here",
      deployment: { replicas: 9 },
      next: { revision: "1", remembers: { desired: 3, max: 4 } },
      wanted: undefined
    }
  ])("$why", ({ deployment = {}, next, previous = [], wanted }) => {
    expect(
      planRenumbering(seenOf(deployment, [...previous, { version: "v3", created: 9, ...next }]))
    ).toEqual(wanted)
  })

  it("without one there is nothing to keep in step, nor a number to show", () => {
    expect(planRenumbering(seenOf({}, [{ version: "v1" }]))).toBeUndefined()
    expect(revisionToPublish(seenOf({}, [{ version: "v1", revision: "3" }]))).toBeUndefined()
  })

  it.each([
    { shown: undefined, own: "5", toShow: "5" },
    { shown: "4", own: "5", toShow: "5" },
    { shown: "5", own: "5", toShow: undefined }
  ])("a Deployment that shows $shown beside a ReplicaSet of $own shows $toShow", ({ shown, own, toShow }) => {
    const seen = seenOf(shown === undefined ? {} : { revision: shown }, [{ version: "v3", revision: own }])
    expect(revisionToPublish(seen)).toBe(toShow)
  })
})
