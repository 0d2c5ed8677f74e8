import { describe, expect, it } from "vitest"
import { createNew, createAtFullSize } from "../../../../src/kubernetes/apps/deploymentCommands.ts"
import {
  draftReplicaSet,
  newReplicaSetName,
  planRenumbering,
  revisionToPublish
} from "../../../../src/kubernetes/apps/revisions/newReplicaSet.ts"
import { templateHashLabel, templateHash } from "../../../../src/kubernetes/apps/revisions/podTemplates.ts"
import {
  revisionHistoryAnnotation,
  revisionAnnotation
} from "../../../../src/kubernetes/apps/revisions/revisions.ts"
import { aDeployment, anObservation, aReplicaSet, aTemplate } from "../../../builders.ts"
import type { DeploymentCommands } from "../../../../src/kubernetes/apps/deploymentCommands.ts"
import type { DeploymentOptions, ReplicaSetOptions } from "../../../builders.ts"

const observe = (deployment: DeploymentOptions, replicaSets: ReadonlyArray<ReplicaSetOptions> = []) =>
  anObservation({
    deployment: aDeployment(deployment),
    replicaSets: replicaSets.map((it) => aReplicaSet(it))
  })

describe("the name of a new ReplicaSet (TestGenerateReplicaSetName)", () => {
  const hash = templateHash(aTemplate("v3"), undefined)
  const room = 253 - hash.length - 1
  it.each([
    { why: "short name", name: "my-deployment", part: "my-deployment" },
    { why: "maximum length without truncating", name: "a".repeat(room), part: "a".repeat(room) },
    { why: "one character is cut off", name: `${"b".repeat(room)}x`, part: "b".repeat(room) },
    { why: "the longest name", name: "c".repeat(253), part: "c".repeat(room) }
  ])("$why", ({ name, part }) => {
    const generated = newReplicaSetName(aDeployment({ name }))
    expect(generated).toBe(`${part}-${hash}`)
    expect(generated.length).toBeLessThanOrEqual(253)
  })

  it("differs for every collision count, 0 included", () => {
    const names = [undefined, 0, 1, 2].map((collisionCount) =>
      newReplicaSetName(aDeployment(collisionCount === undefined ? {} : { status: { collisionCount } }))
    )
    expect(new Set(names).size).toBe(4)
  })
})

describe("a new ReplicaSet", () => {
  it("has labels and hash, selector, annotations and sizes from template and Deployment", () => {
    const template = aTemplate("v3", { labels: { tier: "front" }, annotations: { note: "hi" } })
    const observation = observe(
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
    expect(draftReplicaSet(observation, 3)).toEqual({
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

  it("has no minReadySeconds when its Deployment has none", () => {
    expect(Object.keys(draftReplicaSet(observe({}), 3).spec)).toEqual(["replicas", "selector", "template"])
  })

  it.each([
    { why: "the first one", old: 0, replicas: 7, size: 7 },
    { why: "maxSurge leaves two", old: 7, replicas: 7, size: 2 },
    { why: "maxSurge leaves none", old: 11, replicas: 7, size: 0 }
  ])("starts with $size beside $old of $replicas: $why; createAtFullSize starts with all", (row) => {
    const { old, replicas, size } = row
    const observation = observe({ replicas }, [{ version: "v1", replicas: old }])
    const sizesOf = (commands: DeploymentCommands): ReadonlyArray<number | undefined> =>
      commands.map((it) => (it.type === "createReplicaSet" ? it.replicaSet.spec.replicas : undefined))
    expect(sizesOf(createNew(observation))).toEqual([size])
    expect(sizesOf(createAtFullSize(observation))).toEqual([replicas])
  })

  it("has no surge in its size annotations with Recreate", () => {
    const { metadata } = draftReplicaSet(observe({ strategy: "Recreate", replicas: 7 }), 7)
    expect(metadata.annotations).toMatchObject({
      "deployment.kubernetes.io/desired-replicas": "7",
      "deployment.kubernetes.io/max-replicas": "7"
    })
  })

  it("keeps match expressions beside the hash", () => {
    const observation = observe({})
    const matchExpressions = [{ key: "app", operator: "In", values: ["web", "site"] }]
    const deployment = {
      ...observation.deployment,
      spec: { ...observation.deployment.spec, selector: { matchExpressions } }
    }
    expect(draftReplicaSet({ ...observation, deployment }, 3).spec.selector).toEqual({
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
  readonly expected: object | undefined
}

describe("renumbering the new ReplicaSet (getNewReplicaSet)", () => {
  it.each<RenumberRow>([
    { why: "it is up to date", next: { revision: "1" }, expected: undefined },
    {
      why: "an adopted ReplicaSet gets a revision without history",
      next: {},
      previous: [{ version: "v1", revision: "3" }],
      expected: { annotations: { [revisionAnnotation]: "4" }, minReadySeconds: 0 }
    },
    {
      why: "a rollback puts the old revision into the history",
      next: { revision: "1" },
      previous: [{ version: "v1", revision: "2" }],
      expected: {
        annotations: { [revisionAnnotation]: "3", [revisionHistoryAnnotation]: "1" },
        minReadySeconds: 0
      }
    },
    {
      why: "the revision never decreases, even if old ReplicaSets were deleted",
      next: { revision: "8" },
      previous: [{ version: "v1", revision: "2" }],
      expected: undefined
    },
    {
      why: "an invalid old revision is ignored",
      next: { revision: "1" },
      previous: [{ version: "v1", revision: "latest" }],
      expected: undefined
    },
    {
      why: "an annotation of the Deployment is copied",
      deployment: { annotations: { note: "hi", "kubectl.kubernetes.io/last-applied-configuration": "{}" } },
      next: { revision: "1" },
      expected: { annotations: { [revisionAnnotation]: "1", note: "hi" }, minReadySeconds: 0 }
    },
    {
      why: "an annotation that the Deployment lost is kept",
      next: { revision: "1", annotations: { note: "hi" } },
      expected: undefined
    },
    {
      why: "minReadySeconds is copied",
      deployment: { minReadySeconds: 7 },
      next: { revision: "1", minReadySeconds: 3 },
      expected: { annotations: { [revisionAnnotation]: "1" }, minReadySeconds: 7 }
    },
    {
      why: "minReadySeconds 0 equals none",
      deployment: { minReadySeconds: 0 },
      next: { revision: "1" },
      expected: undefined
    },
    {
      why: "the size annotations are ignored",
      deployment: { replicas: 9 },
      next: { revision: "1", annotatedSize: { desired: 3, max: 4 } },
      expected: undefined
    }
  ])("$why", ({ deployment = {}, next, previous = [], expected }) => {
    expect(
      planRenumbering(observe(deployment, [...previous, { version: "v3", created: 9, ...next }]))
    ).toEqual(expected)
  })

  it("does nothing without a new ReplicaSet", () => {
    expect(planRenumbering(observe({}, [{ version: "v1" }]))).toBeUndefined()
    expect(revisionToPublish(observe({}, [{ version: "v1", revision: "3" }]))).toBeUndefined()
  })

  it.each([
    { shown: undefined, own: "5", toShow: "5" },
    { shown: "4", own: "5", toShow: "5" },
    { shown: "5", own: "5", toShow: undefined }
  ])(
    "shows revision $toShow on a Deployment with $shown beside a ReplicaSet with $own",
    ({ shown, own, toShow }) => {
      const observation = observe(shown === undefined ? {} : { revision: shown }, [
        { version: "v3", revision: own }
      ])
      expect(revisionToPublish(observation)).toBe(toShow)
    }
  )
})
