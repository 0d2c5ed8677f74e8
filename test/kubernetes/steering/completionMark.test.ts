import { describe, expect, it } from "vitest"
import {
  completionMark,
  hasBeenComplete,
  isMarkedComplete
} from "../../../src/kubernetes/steering/steeringObservation.ts"
import { completedRevisionAnnotation } from "../../../src/kubernetes/steering/steeringNames.ts"
import { revisionAnnotation } from "../../../src/kubernetes/apps/revisions/revisions.ts"
import { templateHashLabel } from "../../../src/kubernetes/apps/revisions/podTemplates.ts"
import { aReplicaSet } from "../../machines/workloadObservations.ts"
import type { ReplicaSet } from "../../../src/kubernetes/meta/objects.ts"

const replicaSetWith = (options: {
  readonly hash?: string
  readonly revision?: string
  readonly mark?: string
}): ReplicaSet => {
  const { hash, revision, mark } = options
  const replicaSet = aReplicaSet({ image: "v1" })
  return {
    ...replicaSet,
    metadata: {
      ...replicaSet.metadata,
      labels: hash === undefined ? {} : { [templateHashLabel]: hash },
      annotations: {
        ...(revision === undefined ? {} : { [revisionAnnotation]: revision }),
        ...(mark === undefined ? {} : { [completedRevisionAnnotation]: mark })
      }
    }
  }
}

const rows = [
  { why: "without a mark", replicaSet: { hash: "abc", revision: "3" }, isEver: false, isNow: false },
  {
    why: "without a mark, a number and a hash, as one that was made by hand",
    replicaSet: {},
    isEver: false,
    isNow: false
  },
  {
    why: "with the mark of its revision",
    replicaSet: { hash: "abc", revision: "3", mark: "abc 3 2026-01-01T00:00:00.000Z" },
    isEver: true,
    isNow: true
  },
  {
    why: "with the mark of an earlier revision",
    replicaSet: { hash: "abc", revision: "3", mark: "abc 1 2026-01-01T00:00:00.000Z" },
    isEver: true,
    isNow: false
  },
  {
    why: "with a hash alone for a mark",
    replicaSet: { hash: "abc", revision: "3", mark: "abc" },
    isEver: true,
    isNow: false
  },
  {
    why: "with a hash alone for a mark, before it has a number",
    replicaSet: { hash: "abc", mark: "abc" },
    isEver: true,
    isNow: false
  },
  {
    why: "with the mark of another hash, which a rollback copied",
    replicaSet: { hash: "abc", revision: "3", mark: "xyz 3 2026-01-01T00:00:00.000Z" },
    isEver: false,
    isNow: false
  },
  {
    why: "with the mark of a hash that begins like its own",
    replicaSet: { hash: "abc", revision: "3", mark: "abcd 3 2026-01-01T00:00:00.000Z" },
    isEver: false,
    isNow: false
  }
]

describe("a ReplicaSet", () => {
  it.each(rows)("$why has been complete: $isEver, and is in this rollout: $isNow", (row) => {
    const replicaSet = replicaSetWith(row.replicaSet)
    expect([hasBeenComplete(replicaSet), isMarkedComplete({ newReplicaSet: replicaSet })]).toEqual([
      row.isEver,
      row.isNow
    ])
  })

  it("is complete with the mark that is made for it", () => {
    const identity = { hash: "abc", revision: "3" }
    const mark = completionMark(replicaSetWith(identity), 1)
    expect(isMarkedComplete({ newReplicaSet: replicaSetWith({ ...identity, mark }) })).toBe(true)
  })
})
