import { describe, expect, it } from "vitest"
import { aWorld, blue, ownedBy, red, type Row } from "./wakesWorld.ts"

describe("a change of a ReplicaSet wakes", () => {
  it.each<Row>([
    {
      why: "its Deployment alone when it is new, though another selects it as well (TestAddReplicaSet)",
      story:
        ({ aReplicaSet, web }) =>
        () =>
          aReplicaSet({ ...red, ...ownedBy(web) }),
      woken: "deployments web, replicasets new"
    },
    {
      why: "every Deployment near it that selects it when it is new and nobody's (TestAddReplicaSetOrphan, TestGetDeploymentsForReplicaSet)",
      story:
        ({ aReplicaSet }) =>
        () =>
          aReplicaSet(red),
      woken: "deployments api, deployments web, replicasets new"
    },
    {
      why: "nobody when nobody selects it",
      story:
        ({ aReplicaSet }) =>
        () =>
          aReplicaSet({ labels: { color: "green" } }),
      woken: "replicasets new"
    },
    {
      why: "whoever selects by what it does not have",
      story:
        ({ aReplicaSet }) =>
        () =>
          aReplicaSet({ labels: { shape: "square" } }),
      woken: "deployments odd, replicasets new"
    },
    {
      why: "nobody when it has no labels to be selected by",
      story:
        ({ aReplicaSet }) =>
        () =>
          aReplicaSet({}),
      woken: "replicasets new"
    },
    {
      why: "its Deployment when it reports (TestUpdateReplicaSet)",
      story:
        ({ one, report }) =>
        () =>
          report(one, { replicas: 2, readyReplicas: 1 }),
      woken: "deployments web, replicasets one"
    },
    {
      why: "whoever selects it now when an orphan gets other labels (TestUpdateReplicaSetOrphanWithNewLabels)",
      story: ({ aReplicaSet, edit }) => {
        const orphan = aReplicaSet(red)
        return () => edit(orphan, blue)
      },
      woken: "deployments sky, replicasets new"
    },
    {
      why: "nobody when an orphan changes in what no selector sees",
      story: ({ aReplicaSet, edit }) => {
        const orphan = aReplicaSet(red)
        return () => edit(orphan, { annotations: { note: "hi" } })
      },
      woken: "replicasets new"
    },
    {
      why: "both when it goes from one Deployment to another (TestUpdateReplicaSetChangeControllerRef)",
      story:
        ({ one, edit, api }) =>
        () =>
          edit(one, ownedBy(api)),
      woken: "deployments api, deployments web, replicasets one"
    },
    {
      why: "the one that lost it and whoever may adopt it when it is let go (TestUpdateReplicaSetRelease)",
      story:
        ({ one, edit }) =>
        () =>
          edit(one, { ownerReferences: [] }),
      woken: "deployments api, deployments web, replicasets one"
    },
    {
      why: "its Deployment when it is gone (TestDeleteReplicaSet)",
      story:
        ({ one, remove }) =>
        () =>
          remove(one),
      woken: "deployments web, replicasets one"
    },
    {
      why: "nobody when it was nobody's (TestDeleteReplicaSetOrphan)",
      story: ({ aReplicaSet, remove }) => {
        const orphan = aReplicaSet(red)
        return () => remove(orphan)
      },
      woken: "replicasets new"
    }
  ])("$woken: $why", ({ story, woken }) => {
    const world = aWorld()
    expect(world.wokenBy(story(world))).toBe(woken)
  })
})

describe("a change of a Deployment wakes", () => {
  const complete = {
    observedGeneration: 1,
    replicas: 3,
    updatedReplicas: 3,
    readyReplicas: 3,
    availableReplicas: 3
  }
  it.each<Row>([
    {
      why: "itself when its annotations change, which its ReplicaSet gets too",
      story: ({ web, edit, report }) => {
        report(web, complete)
        return () => edit(web, { annotations: { note: "hi" } })
      },
      woken: "deployments web"
    },
    {
      why: "nobody when a rollout is over and its own labels change, on which nothing depends",
      story: ({ web, edit, report }) => {
        report(web, complete)
        return () => edit(web, { labels: { tier: "one" } })
      },
      woken: ""
    },
    {
      why: "itself when its labels change before that: what was refused is tried again for any reason",
      story: ({ web, edit, report }) => {
        report(web, { ...complete, updatedReplicas: 2 })
        return () => edit(web, { labels: { tier: "one" } })
      },
      woken: "deployments web"
    }
  ])("$woken: $why", ({ story, woken }) => {
    const world = aWorld()
    expect(world.wokenBy(story(world))).toBe(woken)
  })
})

describe("a change of a Pod wakes", () => {
  it.each<Row>([
    {
      why: "its ReplicaSet alone when it is new, though another selects it as well (TestWatchPods)",
      story:
        ({ aPod, one }) =>
        () =>
          aPod({ ...red, ...ownedBy(one) }),
      woken: "replicasets one"
    },
    {
      why: "every ReplicaSet near it that selects it when it is new and nobody's (TestPodControllerLookup)",
      story:
        ({ aPod }) =>
        () =>
          aPod(red),
      woken: "replicasets one, replicasets two"
    },
    {
      why: "whoever selects by what it does not have",
      story:
        ({ aPod }) =>
        () =>
          aPod({ labels: { shape: "square" } }),
      woken: "replicasets odd"
    },
    {
      why: "nobody when it has no labels to be selected by",
      story:
        ({ aPod }) =>
        () =>
          aPod({}),
      woken: ""
    },
    {
      why: "its ReplicaSet alone when its labels change, whatever they are now (TestUpdatePods 1)",
      story: ({ aPod, edit, one }) => {
        const pod = aPod({ ...red, ...ownedBy(one) })
        return () => edit(pod, blue)
      },
      woken: "replicasets one"
    },
    {
      why: "both when it goes from one ReplicaSet to another (TestUpdatePods 2)",
      story: ({ aPod, edit, one, two }) => {
        const pod = aPod({ ...red, ...ownedBy(one) })
        return () => edit(pod, ownedBy(two))
      },
      woken: "replicasets one, replicasets two"
    },
    {
      why: "the one that lost it and whoever may adopt it when it is let go (TestUpdatePods 3)",
      story: ({ aPod, edit, two }) => {
        const pod = aPod({ ...red, ...ownedBy(two) })
        return () => edit(pod, { ...blue, ownerReferences: [] })
      },
      woken: "replicasets sea, replicasets two"
    },
    {
      why: "whoever selects it now when an orphan gets other labels (TestUpdatePods 4)",
      story: ({ aPod, edit }) => {
        const pod = aPod(red)
        return () => edit(pod, blue)
      },
      woken: "replicasets sea"
    },
    {
      why: "its ReplicaSet when it turns ready",
      story: ({ aPod, report, one }) => {
        const pod = aPod({ ...red, ...ownedBy(one) })
        const ready = { type: "Ready", status: "True", lastTransitionTime: "2026-01-01T00:00:07Z" }
        return () => report(pod, { phase: "Running", conditions: [ready] })
      },
      woken: "replicasets one"
    },
    {
      why: "nobody when it changes in what nobody counts",
      story: ({ aPod, report, one }) => {
        const pod = aPod({ ...red, ...ownedBy(one) })
        return () => report(pod, { phase: "Pending", message: "soon" })
      },
      woken: ""
    },
    {
      why: "its ReplicaSet when it is told to go, held by a finalizer (TestDeletionTimestamp)",
      story: ({ aPod, remove, one }) => {
        const pod = aPod({ ...red, ...ownedBy(one), finalizers: ["x.io/hold"] })
        return () => remove(pod)
      },
      woken: "replicasets one"
    },
    {
      why: "its ReplicaSet when it is gone, seen on its way or not (TestDeleteFinalStateUnknown)",
      story: ({ aPod, remove, one }) => {
        const pod = aPod({ ...red, ...ownedBy(one) })
        return () => remove(pod)
      },
      woken: "replicasets one"
    },
    {
      why: "nobody when it was nobody's and is gone",
      story: ({ aPod, remove }) => {
        const pod = aPod(red)
        return () => remove(pod)
      },
      woken: ""
    }
  ])("'$woken': $why", ({ story, woken }) => {
    const world = aWorld()
    expect(world.wokenBy(story(world))).toBe(woken)
  })
})

describe("a Pod that is gone wakes a Deployment", () => {
  it.each<Row>([
    {
      why: "that recreates, when it was the last one (TestPodDeletionEnqueuesRecreateDeployment)",
      story: ({ aPod, remove, two }) => {
        const pod = aPod({ ...red, ...ownedBy(two) })
        return () => remove(pod)
      },
      woken: "deployments api, replicasets two"
    },
    {
      why: "not while another Pod is left (TestPodDeletionDoesntEnqueueRecreateDeployment)",
      story: ({ aPod, remove, two }) => {
        const pod = aPod({ ...red, ...ownedBy(two) })
        aPod({ name: "q", ...red, ...ownedBy(two) })
        return () => remove(pod)
      },
      woken: "replicasets two"
    },
    {
      why: "when all that is left is under ReplicaSets of others (TestPodDeletionPartialReplicaSetOwnershipEnqueueRecreateDeployment)",
      story: ({ aPod, remove, one, two, aReplicaSet }) => {
        const pod = aPod({ ...red, ...ownedBy(two) })
        aPod({ name: "q", ...red, ...ownedBy(one) })
        aPod({ name: "r", ...red, ...ownedBy(aReplicaSet(red)) })
        return () => remove(pod)
      },
      woken: "deployments api, replicasets two"
    },
    {
      why: "not while one is left under another of its ReplicaSets (TestPodDeletionPartialReplicaSetOwnershipDoesntEnqueueRecreateDeployment)",
      story: ({ aPod, remove, two, api, aReplicaSet }) => {
        const pod = aPod({ ...red, ...ownedBy(two) })
        aPod({ name: "q", ...red, ...ownedBy(aReplicaSet({ ...red, ...ownedBy(api) })) })
        return () => remove(pod)
      },
      woken: "replicasets two"
    },
    {
      why: "not one that rolls, which waits for no Pod to be gone",
      story: ({ aPod, remove, one }) => {
        const pod = aPod({ ...red, ...ownedBy(one) })
        return () => remove(pod)
      },
      woken: "replicasets one"
    },
    {
      why: "not by a Pod of a ReplicaSet that is another's namesake by now",
      story: ({ aPod, remove, two }) => {
        const former = { ...two, metadata: { ...two.metadata, uid: "uid-former" } }
        const pod = aPod({ ...red, ...ownedBy(former) })
        return () => remove(pod)
      },
      woken: "replicasets two"
    }
  ])("$woken: $why", ({ story, woken }) => {
    const world = aWorld()
    expect(world.wokenBy(story(world))).toBe(woken)
  })
})
