import { describe, expect, it } from "vitest"
import { wakingControllers, blue, ownedBy, red, type WakeRow } from "./wakingControllers.ts"
import type { ReplicaSet } from "../../src/kubernetes/meta/objects.ts"

describe("a changed ReplicaSet wakes", () => {
  it.each<WakeRow>([
    {
      why: "its Deployment when created, and no other that selects it (TestAddReplicaSet)",
      story:
        ({ aReplicaSet, web }) =>
        () =>
          aReplicaSet({ ...red, ...ownedBy(web) }),
      woken: "deployments web, replicasets new"
    },
    {
      why: "all Deployments of its namespace that select it when created as an orphan (TestAddReplicaSetOrphan, TestGetDeploymentsForReplicaSet)",
      story:
        ({ aReplicaSet }) =>
        () =>
          aReplicaSet(red),
      woken: "deployments api, deployments web, replicasets new"
    },
    {
      why: "no Deployment when no selector matches",
      story:
        ({ aReplicaSet }) =>
        () =>
          aReplicaSet({ labels: { color: "green" } }),
      woken: "replicasets new"
    },
    {
      why: "Deployments that select by the absence of its labels",
      story:
        ({ aReplicaSet }) =>
        () =>
          aReplicaSet({ labels: { shape: "square" } }),
      woken: "deployments odd, replicasets new"
    },
    {
      why: "no Deployment when it has no labels",
      story:
        ({ aReplicaSet }) =>
        () =>
          aReplicaSet({}),
      woken: "replicasets new"
    },
    {
      why: "its Deployment when its status changes (TestUpdateReplicaSet)",
      story:
        ({ one, report }) =>
        () =>
          report(one, { replicas: 2, readyReplicas: 1 }),
      woken: "deployments web, replicasets one"
    },
    {
      why: "the Deployments that select it now when an orphan is relabelled (TestUpdateReplicaSetOrphanWithNewLabels)",
      story: ({ aReplicaSet, edit }) => {
        const orphan = aReplicaSet(red)
        return () => edit(orphan, blue)
      },
      woken: "deployments sky, replicasets new"
    },
    {
      why: "no Deployment when an orphan changes otherwise",
      story: ({ aReplicaSet, edit }) => {
        const orphan = aReplicaSet(red)
        return () => edit(orphan, { finalizers: ["example.com/wait"] })
      },
      woken: "replicasets new"
    },
    {
      why: "its Deployment when its annotations change, on which it does not decide itself",
      story:
        ({ one, edit }) =>
        () =>
          edit(one, { annotations: { note: "hi" } }),
      woken: "deployments web, replicasets one to retry"
    },
    {
      why: "itself when its size changes with its annotations",
      story:
        ({ one, edit }) =>
        () =>
          edit(one, { annotations: { note: "hi" } }, { spec: { ...(one as ReplicaSet).spec, replicas: 5 } }),
      woken: "deployments web, replicasets one"
    },
    {
      why: "both Deployments when its controller changes (TestUpdateReplicaSetChangeControllerRef)",
      story:
        ({ one, edit, api }) =>
        () =>
          edit(one, ownedBy(api)),
      woken: "deployments api, deployments web, replicasets one"
    },
    {
      why: "its former Deployment and those that may adopt it when it is released (TestUpdateReplicaSetRelease)",
      story:
        ({ one, edit }) =>
        () =>
          edit(one, { ownerReferences: [] }),
      woken: "deployments api, deployments web, replicasets one"
    },
    {
      why: "its Deployment when it is deleted (TestDeleteReplicaSet)",
      story:
        ({ one, remove }) =>
        () =>
          remove(one),
      woken: "deployments web, replicasets one"
    },
    {
      why: "no Deployment when an orphan is deleted (TestDeleteReplicaSetOrphan)",
      story: ({ aReplicaSet, remove }) => {
        const orphan = aReplicaSet(red)
        return () => remove(orphan)
      },
      woken: "replicasets new"
    }
  ])("$woken: $why", ({ story, woken }) => {
    const controllers = wakingControllers()
    expect(controllers.wokenBy(story(controllers))).toBe(woken)
  })
})

describe("a changed Deployment wakes", () => {
  const complete = {
    observedGeneration: 1,
    replicas: 3,
    updatedReplicas: 3,
    readyReplicas: 3,
    availableReplicas: 3
  }
  it.each<WakeRow>([
    {
      why: "itself when its annotations change, which its ReplicaSets get too",
      story: ({ web, edit, report }) => {
        report(web, complete)
        return () => edit(web, { annotations: { note: "hi" } })
      },
      woken: "deployments web"
    },
    {
      why: "no Deployment when its labels change after a complete rollout",
      story: ({ web, edit, report }) => {
        report(web, complete)
        return () => edit(web, { labels: { tier: "one" } })
      },
      woken: ""
    },
    {
      why: "itself when its labels change before that, since any change retries refused writes",
      story: ({ web, edit, report }) => {
        report(web, { ...complete, updatedReplicas: 2 })
        return () => edit(web, { labels: { tier: "one" } })
      },
      woken: "deployments web"
    }
  ])("$woken: $why", ({ story, woken }) => {
    const controllers = wakingControllers()
    expect(controllers.wokenBy(story(controllers))).toBe(woken)
  })
})

describe("a changed Pod wakes", () => {
  it.each<WakeRow>([
    {
      why: "its ReplicaSet when created, and no other that selects it (TestWatchPods)",
      story:
        ({ aPod, one }) =>
        () =>
          aPod({ ...red, ...ownedBy(one) }),
      woken: "replicasets one"
    },
    {
      why: "all ReplicaSets of its namespace that select it when created as an orphan (TestPodControllerLookup)",
      story:
        ({ aPod }) =>
        () =>
          aPod(red),
      woken: "replicasets one, replicasets two"
    },
    {
      why: "ReplicaSets that select by the absence of its labels",
      story:
        ({ aPod }) =>
        () =>
          aPod({ labels: { shape: "square" } }),
      woken: "replicasets odd"
    },
    {
      why: "no ReplicaSet when it has no labels",
      story:
        ({ aPod }) =>
        () =>
          aPod({}),
      woken: ""
    },
    {
      why: "its ReplicaSet when relabelled (TestUpdatePods 1)",
      story: ({ aPod, edit, one }) => {
        const pod = aPod({ ...red, ...ownedBy(one) })
        return () => edit(pod, blue)
      },
      woken: "replicasets one"
    },
    {
      why: "both ReplicaSets when its controller changes (TestUpdatePods 2)",
      story: ({ aPod, edit, one, two }) => {
        const pod = aPod({ ...red, ...ownedBy(one) })
        return () => edit(pod, ownedBy(two))
      },
      woken: "replicasets one, replicasets two"
    },
    {
      why: "its former ReplicaSet and those that may adopt it when it is released (TestUpdatePods 3)",
      story: ({ aPod, edit, two }) => {
        const pod = aPod({ ...red, ...ownedBy(two) })
        return () => edit(pod, { ...blue, ownerReferences: [] })
      },
      woken: "replicasets sea, replicasets two"
    },
    {
      why: "the ReplicaSets that select it now when an orphan is relabelled (TestUpdatePods 4)",
      story: ({ aPod, edit }) => {
        const pod = aPod(red)
        return () => edit(pod, blue)
      },
      woken: "replicasets sea"
    },
    {
      why: "its ReplicaSet when it becomes ready",
      story: ({ aPod, report, one }) => {
        const pod = aPod({ ...red, ...ownedBy(one) })
        const ready = { type: "Ready", status: "True", lastTransitionTime: "2026-01-01T00:00:07Z" }
        return () => report(pod, { phase: "Running", conditions: [ready] })
      },
      woken: "replicasets one"
    },
    {
      why: "no ReplicaSet when it changes otherwise",
      story: ({ aPod, report, one }) => {
        const pod = aPod({ ...red, ...ownedBy(one) })
        return () => report(pod, { phase: "Pending", message: "soon" })
      },
      woken: ""
    },
    {
      why: "its ReplicaSet when it is deleted but held by a finalizer (TestDeletionTimestamp)",
      story: ({ aPod, remove, one }) => {
        const pod = aPod({ ...red, ...ownedBy(one), finalizers: ["x.io/hold"] })
        return () => remove(pod)
      },
      woken: "replicasets one"
    },
    {
      why: "its ReplicaSet when it is gone, whether its termination was observed or not (TestDeleteFinalStateUnknown)",
      story: ({ aPod, remove, one }) => {
        const pod = aPod({ ...red, ...ownedBy(one) })
        return () => remove(pod)
      },
      woken: "replicasets one"
    },
    {
      why: "no ReplicaSet when an orphan is gone",
      story: ({ aPod, remove }) => {
        const pod = aPod(red)
        return () => remove(pod)
      },
      woken: ""
    }
  ])("'$woken': $why", ({ story, woken }) => {
    const controllers = wakingControllers()
    expect(controllers.wokenBy(story(controllers))).toBe(woken)
  })
})

describe("a removed Pod wakes a Deployment", () => {
  it.each<WakeRow>([
    {
      why: "with Recreate when it was the last one (TestPodDeletionEnqueuesRecreateDeployment)",
      story: ({ aPod, remove, two }) => {
        const pod = aPod({ ...red, ...ownedBy(two) })
        return () => remove(pod)
      },
      woken: "deployments api, replicasets two"
    },
    {
      why: "not while another Pod remains (TestPodDeletionDoesntEnqueueRecreateDeployment)",
      story: ({ aPod, remove, two }) => {
        const pod = aPod({ ...red, ...ownedBy(two) })
        aPod({ name: "q", ...red, ...ownedBy(two) })
        return () => remove(pod)
      },
      woken: "replicasets two"
    },
    {
      why: "when only Pods of other Deployments remain (TestPodDeletionPartialReplicaSetOwnershipEnqueueRecreateDeployment)",
      story: ({ aPod, remove, one, two, aReplicaSet }) => {
        const pod = aPod({ ...red, ...ownedBy(two) })
        aPod({ name: "q", ...red, ...ownedBy(one) })
        aPod({ name: "r", ...red, ...ownedBy(aReplicaSet(red)) })
        return () => remove(pod)
      },
      woken: "deployments api, replicasets two"
    },
    {
      why: "not while another of its ReplicaSets has a Pod (TestPodDeletionPartialReplicaSetOwnershipDoesntEnqueueRecreateDeployment)",
      story: ({ aPod, remove, two, api, aReplicaSet }) => {
        const pod = aPod({ ...red, ...ownedBy(two) })
        aPod({ name: "q", ...red, ...ownedBy(aReplicaSet({ ...red, ...ownedBy(api) })) })
        return () => remove(pod)
      },
      woken: "replicasets two"
    },
    {
      why: "not with RollingUpdate, which does not wait for removals",
      story: ({ aPod, remove, one }) => {
        const pod = aPod({ ...red, ...ownedBy(one) })
        return () => remove(pod)
      },
      woken: "replicasets one"
    },
    {
      why: "not when its ReplicaSet has been replaced by another of its name",
      story: ({ aPod, remove, two }) => {
        const formerReplicaSet = { ...two, metadata: { ...two.metadata, uid: "uid-former" } }
        const pod = aPod({ ...red, ...ownedBy(formerReplicaSet) })
        return () => remove(pod)
      },
      woken: "replicasets two"
    }
  ])("$woken: $why", ({ story, woken }) => {
    const controllers = wakingControllers()
    expect(controllers.wokenBy(story(controllers))).toBe(woken)
  })
})
