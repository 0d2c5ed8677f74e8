import { describe, expect, it } from "vitest"
import { newReplicaSetName } from "../../../src/kubernetes/apps/revisions/newReplicaSet.ts"
import { progressingCondition } from "../../../src/kubernetes/apps/progress.ts"
import { revisionAnnotation } from "../../../src/kubernetes/apps/revisions/revisions.ts"
import { aDeployment, aReplicaSet, aTemplate, textAt } from "../workloadObservations.ts"
import { makeRollout } from "./rolloutHarness.ts"
import type { Rollout } from "./rolloutHarness.ts"

type Traits = Parameters<typeof aDeployment>[0]

const nameOf = (image: string): string => newReplicaSetName(aDeployment({ image }))
const [v1, v2] = [nameOf("v1"), nameOf("v2")]
const withRevision = (revision: string) => ({ annotations: { [revisionAnnotation]: revision } })
const old = aReplicaSet({ replicas: 4 })
const next = aReplicaSet({ image: "v2", revision: 2, replicas: 3, available: 0 })
const otherOrphan = aReplicaSet({ owned: false, labels: { app: "shop" } })

/** From v1 to v2 without progress since second 1: 4 old Pods, 3 new ones that never become available. */
const stalledRollout = (more: Traits = {}): Rollout => {
  const status = { replicas: 7, updatedReplicas: 3, readyReplicas: 4, availableReplicas: 4 }
  const rollout = makeRollout(
    aDeployment({ image: "v2", status, progressing: ["ReplicaSetUpdated", 1], ...withRevision("2"), ...more })
  )
  for (const replicaSet of [old, next]) rollout.workload.addReplicaSet(replicaSet)
  return rollout
}

/** v1 is complete and reported as such, and v2 is wanted at once. */
const rolloutFromComplete = (progressing: NonNullable<Traits>["progressing"], replicas = 5): Rollout => {
  const status = { replicas: 5, updatedReplicas: 5, readyReplicas: 5, availableReplicas: 5 }
  const rollout = makeRollout(
    aDeployment({ image: "v2", status, replicas, ...withRevision("1"), ...(progressing && { progressing }) })
  )
  rollout.workload.addReplicaSet(aReplicaSet())
  return rollout
}

const progressing = ({ workload }: Rollout) => progressingCondition(workload.deployment())

describe("the ReplicaSet of the current template", () => {
  it("is reported as found by its name when there was no condition", () => {
    const rollout = makeRollout(aDeployment(withRevision("1")))
    rollout.workload.addReplicaSet(aReplicaSet({ pods: 0 }))
    rollout.look()
    expect(progressing(rollout)).toMatchObject({
      status: "True",
      reason: "FoundNewReplicaSet",
      message: `Found new replica set "${v1}"`
    })
  })

  it("is not reported as found when an orphan has its name", () => {
    const rollout = makeRollout(aDeployment())
    rollout.workload.addReplicaSet(otherOrphan)
    rollout.look()
    expect(rollout.workload.deployment().status.collisionCount).toBe(1)
    expect(rollout.reason()).toBeUndefined()
  })
})

describe("a look with another command first", () => {
  interface Row {
    readonly why: string
    readonly prepare: (rollout: Rollout) => void
  }

  it.each<Row>([
    {
      why: "an orphan is adopted",
      prepare: ({ workload }) =>
        workload.addReplicaSet(aReplicaSet({ image: "v0", replicas: 0, owned: false }))
    },
    {
      why: "an unmatched ReplicaSet is released",
      prepare: ({ workload }) =>
        workload.addReplicaSet(aReplicaSet({ image: "v0", replicas: 0, labels: { app: "shop" } }))
    },
    {
      why: "the ReplicaSet is renumbered",
      prepare: ({ workload }) => workload.changeDeployment({}, { minReadySeconds: 3 })
    }
  ])("does not report the pause yet: $why", ({ prepare }) => {
    const rollout = stalledRollout()
    prepare(rollout)
    rollout.workload.changeDeployment({}, { paused: true })
    rollout.look()
    expect(rollout.reason()).toBe("ReplicaSetUpdated")
    rollout.look()
    expect(rollout.reason()).toBe("DeploymentPaused")
  })
})

describe("a rollout that is scaled in the same write", () => {
  /** v1 of five Pods is wanted again, with three replicas, while v2 has one Pod; the status tells of v2. */
  const rolledBack = (more: Traits = {}, v1Revision = 3): Rollout => {
    const status = { replicas: 6, updatedReplicas: 1, readyReplicas: 5, availableReplicas: 5 }
    const rollout = makeRollout(aDeployment({ replicas: 3, status, ...withRevision("2"), ...more }))
    rollout.workload.addReplicaSet(aReplicaSet({ revision: v1Revision }))
    rollout.workload.addReplicaSet(aReplicaSet({ image: "v2", revision: 2, replicas: 1, available: 0 }))
    return rollout
  }

  interface Row {
    readonly why: string
    readonly rollout: () => Rollout
    readonly message: string | undefined
  }

  it.each<Row>([
    {
      why: "its revision is written first, so the counts are judged on the retry",
      rollout: () => rolledBack({ progressing: ["ReplicaSetUpdated", 1] }),
      message: `ReplicaSet "${v1}" is progressing.`
    },
    {
      why: "so is the end of the pause",
      rollout: () => rolledBack({ progressing: ["DeploymentPaused", 1], ...withRevision("3") }),
      message: `ReplicaSet "${v1}" is progressing.`
    },
    {
      why: "with Recreate the retry only finds that the size has changed, as nothing is scaled",
      rollout: () => rolledBack({ progressing: ["ReplicaSetUpdated", 1], type: "Recreate" }),
      message: ""
    },
    {
      why: "a first revision was written before, when the ReplicaSet was adopted",
      rollout: () => rolledBack({ annotations: {} }),
      message: `Found new replica set "${v1}"`
    },
    {
      why: "the counts are written at once, and no longer seem to progress",
      rollout: () => rolledBack({ progressing: ["ReplicaSetUpdated", 1], ...withRevision("3") }),
      message: ""
    }
  ])("says of its progress: $why", ({ rollout: make, message }) => {
    const rollout = make()
    rollout.look()
    rollout.look()
    expect(progressing(rollout)?.message).toBe(message)
  })
})

describe("the deadline", () => {
  interface Row {
    readonly why: string
    readonly rollout: () => Rollout
    /** The second of another look, and what changes before it. */
    readonly later?: readonly [second: number, change: (rollout: Rollout) => void]
    readonly second: number
  }
  const template = aTemplate("v2")

  it.each<Row>([
    { why: "counting from the last progress", rollout: stalledRollout, second: 602 },
    {
      why: "no new time for a look while the rollout is scaled",
      rollout: () => stalledRollout({ replicas: 9 }),
      later: [100, () => {}],
      second: 602
    },
    {
      why: "the ReplicaSet exists after a failed creation",
      rollout: () => stalledRollout({ progressing: ["ReplicaSetCreateError", 1] }),
      second: 602
    },
    {
      why: "no deadline without a new ReplicaSet, while scaling",
      rollout: () => rolloutFromComplete(["ReplicaSetCreateError", 1], 6),
      second: Infinity
    },
    {
      why: "no deadline while the Deployment is being deleted",
      rollout: stalledRollout,
      later: [5, ({ workload }) => workload.changeDeployment({ deletionTimestamp: textAt(5) }, {})],
      second: Infinity
    },
    {
      why: "a removed deadline",
      rollout: stalledRollout,
      later: [5, ({ workload }) => workload.changeDeployment({}, { progressDeadlineSeconds: 2147483647 })],
      second: Infinity
    },
    {
      why: "a new template long after the last rollout",
      rollout: () => rolloutFromComplete(["NewReplicaSetAvailable", -1700]),
      second: 601
    },
    {
      why: "counting from the first creation of a ReplicaSet that was deleted",
      rollout: () => rolloutFromComplete(["NewReplicaSetAvailable", -1700]),
      later: [
        100,
        ({ workload }) =>
          workload.perform([{ type: "deleteReplicaSet", child: { name: v2, uid: `uid-${v2}` } }], 0)
      ],
      second: 601
    },
    {
      why: "another template during progress",
      rollout: () => makeRollout(aDeployment()),
      later: [
        100,
        ({ workload }) => {
          workload.setCounts(v1, { replicas: 5, readyReplicas: 2 })
          workload.changeDeployment({}, { template })
        }
      ],
      second: 701
    }
  ])("is exceeded in second $second: $why", ({ rollout: make, later, second }) => {
    const rollout = make()
    rollout.look()
    if (later !== undefined) {
      const [at, change] = later
      rollout.wait(at)
      change(rollout)
      rollout.look()
    }
    expect(rollout.overdueSecond()).toBe(second)
  })

  it("counts from the last progress, for a new actor as well", () => {
    const rollout = stalledRollout()
    for (const available of [1, 2]) {
      rollout.wait(130)
      rollout.workload.setCounts(v2, { readyReplicas: available, availableReplicas: available })
      rollout.look()
    }
    rollout.crash()
    rollout.wait(50)
    rollout.look()
    expect(rollout.overdueSecond()).toBe(861)
  })

  it("does not apply once the Deployment is scaled down to the available Pods, which is no progress", () => {
    const status = { replicas: 5, updatedReplicas: 5, readyReplicas: 3, availableReplicas: 3 }
    const rollout = makeRollout(
      aDeployment({ status, progressing: ["ReplicaSetUpdated", 1], ...withRevision("1") })
    )
    rollout.workload.addReplicaSet(aReplicaSet({ available: 3 }))
    rollout.look()
    rollout.workload.changeDeployment({}, { replicas: 3 })
    rollout.look()
    rollout.workload.setCounts(v1, { replicas: 3 })
    rollout.look()
    expect(rollout.reason()).toBe("NewReplicaSetAvailable")
    expect(rollout.overdueSecond()).toBe(Infinity)
  })

  it("is reported at the first look after it passed, and not again by a new actor", () => {
    const rollout = stalledRollout()
    rollout.wait(700)
    rollout.look()
    expect(progressing(rollout)).toMatchObject({
      status: "False",
      reason: "ProgressDeadlineExceeded",
      message: `ReplicaSet "${v2}" has timed out progressing.`
    })
    rollout.crash()
    const commands = rollout.look()
    expect(
      commands.filter(
        (it) =>
          it.type === "report" && it.report.part === "condition" && it.report.condition.type === "Progressing"
      )
    ).toEqual([])
    expect(rollout.value()).toMatchObject({ progress: "stalled" })
  })
})

describe("the condition Progressing", () => {
  it("tells the later of progress and creation in one look", () => {
    const rollout = makeRollout(aDeployment())
    rollout.look()
    rollout.wait(7)
    rollout.workload.setCounts(v1, { replicas: 5, readyReplicas: 2 })
    rollout.workload.changeDeployment({}, { template: aTemplate("v2") })
    rollout.look()
    expect(progressing(rollout)).toMatchObject({
      reason: "ReplicaSetUpdated",
      message: `ReplicaSet "${v2}" is progressing.`,
      lastUpdateTime: textAt(7),
      lastTransitionTime: textAt(0)
    })
  })
})
