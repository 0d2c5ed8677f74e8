import { describe, expect, it } from "vitest"
import { nextReplicaSetName } from "../../../src/kubernetes/apps/revisions/newReplicaSet.ts"
import { progressingCondition } from "../../../src/kubernetes/apps/progress.ts"
import { revisionAnnotation } from "../../../src/kubernetes/apps/revisions/revisions.ts"
import { aDeployment, aReplicaSet, aTemplate, textAt } from "../worlds.ts"
import { makeRollout } from "./rollout.ts"
import type { Rollout } from "./rollout.ts"

type Traits = Parameters<typeof aDeployment>[0]

const nameOf = (image: string): string => nextReplicaSetName(aDeployment({ image }))
const [v1, v2] = [nameOf("v1"), nameOf("v2")]
const shown = (revision: string) => ({ annotations: { [revisionAnnotation]: revision } })
const old = aReplicaSet({ asked: 4 })
const next = aReplicaSet({ image: "v2", revision: 2, asked: 3, available: 0 })
const stranger = aReplicaSet({ owned: false, labels: { app: "shop" } })

/** From v1 to v2, standing still since the first second: 4 old Pods, 3 new ones that never become available. */
const midway = (more: Traits = {}): Rollout => {
  const status = { replicas: 7, updatedReplicas: 3, readyReplicas: 4, availableReplicas: 4 }
  const rollout = makeRollout(
    aDeployment({ image: "v2", status, progressing: ["ReplicaSetUpdated", 1], ...shown("2"), ...more })
  )
  for (const replicaSet of [old, next]) rollout.stage.add(replicaSet)
  return rollout
}

/** v1 is there as asked for, was said to be, and v2 is asked for at once. */
const renewed = (progressing: NonNullable<Traits>["progressing"], replicas = 5): Rollout => {
  const status = { replicas: 5, updatedReplicas: 5, readyReplicas: 5, availableReplicas: 5 }
  const rollout = makeRollout(
    aDeployment({ image: "v2", status, replicas, ...shown("1"), ...(progressing && { progressing }) })
  )
  rollout.stage.add(aReplicaSet())
  return rollout
}

const progressing = ({ stage }: Rollout) => progressingCondition(stage.deployment())

describe("a ReplicaSet of the present template", () => {
  it("that was there before anything was said is found, by its name", () => {
    const rollout = makeRollout(aDeployment(shown("1")))
    rollout.stage.add(aReplicaSet({ pods: 0 }))
    rollout.look()
    expect(progressing(rollout)).toMatchObject({
      status: "True",
      reason: "FoundNewReplicaSet",
      message: `Found new replica set "${v1}"`
    })
  })

  it("is not found where a stranger's has its name", () => {
    const rollout = makeRollout(aDeployment())
    rollout.stage.add(stranger)
    rollout.look()
    expect(rollout.stage.deployment().status.collisionCount).toBe(1)
    expect(rollout.reason()).toBeUndefined()
  })
})

describe("a look that has something to put in order first", () => {
  interface Row {
    readonly why: string
    readonly set: (rollout: Rollout) => void
  }

  it.each<Row>([
    {
      why: "an orphan is adopted",
      set: ({ stage }) => stage.add(aReplicaSet({ image: "v0", asked: 0, owned: false }))
    },
    {
      why: "a child that matches no more is let go",
      set: ({ stage }) => stage.add(aReplicaSet({ image: "v0", asked: 0, labels: { app: "shop" } }))
    },
    { why: "its ReplicaSet is renumbered", set: ({ stage }) => stage.change({}, { minReadySeconds: 3 }) }
  ])("does not yet say that the rollout is paused: $why", ({ set }) => {
    const rollout = midway()
    set(rollout)
    rollout.stage.change({}, { paused: true })
    rollout.look()
    expect(rollout.reason()).toBe("ReplicaSetUpdated")
    rollout.look()
    expect(rollout.reason()).toBe("DeploymentPaused")
  })
})

describe("the deadline", () => {
  interface Row {
    readonly why: string
    readonly rollout: () => Rollout
    /** When another look is taken, and what has happened by then. */
    readonly later?: readonly [second: number, change: (rollout: Rollout) => void]
    readonly second: number
  }
  const template = aTemplate("v2")

  it.each<Row>([
    { why: "since progress was last noted", rollout: midway, second: 602 },
    {
      why: "nor does a look while the size is shared out buy more time",
      rollout: () => midway({ replicas: 9 }),
      later: [100, () => {}],
      second: 602
    },
    {
      why: "a ReplicaSet that was refused at first is there after all",
      rollout: () => midway({ progressing: ["ReplicaSetCreateError", 1] }),
      second: 602
    },
    {
      why: "no deadline runs before there is a ReplicaSet, whatever the size",
      rollout: () => renewed(["ReplicaSetCreateError", 1], 6),
      second: Infinity
    },
    {
      why: "who is being deleted is not waited for",
      rollout: midway,
      later: [5, ({ stage }) => stage.change({ deletionTimestamp: textAt(5) }, {})],
      second: Infinity
    },
    {
      why: "the deadline was taken away",
      rollout: midway,
      later: [5, ({ stage }) => stage.change({}, { progressDeadlineSeconds: 2147483647 })],
      second: Infinity
    },
    {
      why: "a new template, long after the last rollout",
      rollout: () => renewed(["NewReplicaSetAvailable", -1700]),
      second: 601
    },
    {
      why: "one that was asked for before and is gone counts from then",
      rollout: () => renewed(["NewReplicaSetAvailable", -1700]),
      later: [
        100,
        ({ stage }) => stage.perform([{ type: "deleteReplicaSet", child: { name: v2, uid: `uid-${v2}` } }], 0)
      ],
      second: 601
    },
    {
      why: "another template while Pods of the last one came is progress",
      rollout: () => makeRollout(aDeployment()),
      later: [
        100,
        ({ stage }) => {
          stage.count(v1, { replicas: 5, readyReplicas: 2 })
          stage.change({}, { template })
        }
      ],
      second: 701
    }
  ])("is passed in second $second: $why", ({ rollout: make, later, second }) => {
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

  it("counts from the last of several steps, for an actor made anew as well", () => {
    const rollout = midway()
    for (const available of [1, 2]) {
      rollout.wait(130)
      rollout.stage.count(v2, { readyReplicas: available, availableReplicas: available })
      rollout.look()
    }
    rollout.crash()
    rollout.wait(50)
    rollout.look()
    expect(rollout.overdueSecond()).toBe(861)
  })

  it("is not waited for once the Deployment is scaled down to what is available, which is no progress", () => {
    const status = { replicas: 5, updatedReplicas: 5, readyReplicas: 3, availableReplicas: 3 }
    const rollout = makeRollout(aDeployment({ status, progressing: ["ReplicaSetUpdated", 1], ...shown("1") }))
    rollout.stage.add(aReplicaSet({ available: 3 }))
    rollout.look()
    rollout.stage.change({}, { replicas: 3 })
    rollout.look()
    rollout.stage.count(v1, { replicas: 3 })
    rollout.look()
    expect(rollout.reason()).toBe("NewReplicaSetAvailable")
    expect(rollout.overdueSecond()).toBe(Infinity)
  })

  it("that passed while nobody looked is said at the first look, and not again by the next actor", () => {
    const rollout = midway()
    rollout.wait(700)
    rollout.look()
    expect(progressing(rollout)).toMatchObject({
      status: "False",
      reason: "ProgressDeadlineExceeded",
      message: `ReplicaSet "${v2}" has timed out progressing.`
    })
    rollout.crash()
    const says = rollout.look()
    expect(
      says.filter(
        (it) =>
          it.type === "report" && it.report.part === "condition" && it.report.claim.type === "Progressing"
      )
    ).toEqual([])
    expect(rollout.value()).toMatchObject({ progress: "stalled" })
  })
})

describe("what is told of a step", () => {
  it("that was also the creation of a ReplicaSet is the later of the two", () => {
    const rollout = makeRollout(aDeployment())
    rollout.look()
    rollout.wait(7)
    rollout.stage.count(v1, { replicas: 5, readyReplicas: 2 })
    rollout.stage.change({}, { template: aTemplate("v2") })
    rollout.look()
    expect(progressing(rollout)).toMatchObject({
      reason: "ReplicaSetUpdated",
      message: `ReplicaSet "${v2}" is progressing.`,
      lastUpdateTime: textAt(7),
      lastTransitionTime: textAt(0)
    })
  })
})
