import { describe, expect, it } from "vitest"
import {
  rollBack,
  rollbackRevision,
  rollbackTarget,
  withRollback
} from "../../src/kubernetes/apps/revisions/rollback.ts"
import { revisionAnnotation, rollbackAnnotation } from "../../src/kubernetes/apps/revisions/revisions.ts"
import { aDeployment, anObservation, aReplicaSet } from "../builders.ts"

/** A Deployment of `v3` that is asked to go back, among ReplicaSets of these revisions: `v1` the first, and so on. */
const seenOf = (asked: string | undefined, revisions: ReadonlyArray<string | undefined>) =>
  anObservation({
    deployment: aDeployment({
      version: "v3",
      annotations: { note: "hi", ...(asked === undefined ? {} : { [rollbackAnnotation]: asked }) }
    }),
    replicaSets: revisions.map((revision, index) =>
      aReplicaSet({
        version: `v${index + 1}`,
        created: index,
        ...(revision === undefined ? {} : { revision })
      })
    )
  })

const targetName = (revision: number, revisions: ReadonlyArray<string | undefined>): string => {
  const target = rollbackTarget(seenOf(undefined, revisions), BigInt(revision))
  return typeof target === "string" ? target : target.metadata.name
}

describe("the revision to go back to", () => {
  it.each([
    { why: "the one asked for", revision: 1, revisions: ["1", "2", "3"], target: "web-v1" },
    {
      why: "numbers are asked for, not positions",
      revision: 7,
      revisions: ["7", "9", "8"],
      target: "web-v1"
    },
    { why: "0 is the second highest", revision: 0, revisions: ["1", "2", "3"], target: "web-v2" },
    { why: "whatever the order of creation", revision: 0, revisions: ["5", "9", "7"], target: "web-v3" },
    { why: "nor is it the last", revision: 0, revisions: ["7", "9", "3"], target: "web-v1" },
    { why: "only one: there is no last one", revision: 0, revisions: ["4"], target: "none" },
    { why: "no ReplicaSet at all", revision: 0, revisions: [], target: "none" },
    { why: "one without a revision counts as 0", revision: 0, revisions: [undefined, "1"], target: "none" },
    {
      why: "one that cannot be read is passed over",
      revision: 0,
      revisions: ["x", "2", "1"],
      target: "web-v3"
    },
    { why: "nobody has it", revision: 6, revisions: ["1", "2"], target: "unknown" },
    { why: "a negative one has nobody", revision: -1, revisions: ["1", "2"], target: "unknown" }
  ])("$revision among $revisions: $target: $why", ({ revision, revisions, target }) => {
    expect(targetName(revision, revisions)).toBe(target)
  })

  it.each([
    { text: "3", revision: 3n },
    { text: "0", revision: 0n },
    { text: "-2", revision: -2n },
    { text: "", revision: undefined },
    { text: "three", revision: undefined },
    { text: "1.5", revision: undefined }
  ])("asked for as '$text' is $revision", ({ text, revision }) => {
    expect(rollbackRevision(seenOf(text, []))).toBe(revision)
  })
})

const saidOf = (asked: string, revisions: ReadonlyArray<string>): string =>
  rollBack(seenOf(asked, revisions))
    .map((command) => {
      if (command.type === "rollBack")
        return command.to === undefined ? "clear" : `to ${command.to.metadata.name}`
      return command.type === "recordEvent"
        ? `${command.eventType} ${command.reason}: ${command.message}`
        : command.type
    })
    .join("; ")

describe("going back is done and said", () => {
  it.each([
    {
      why: "there and another",
      asked: "1",
      said: 'to web-v1; Normal DeploymentRollback: Rolled back deployment "web" to revision 1'
    },
    {
      why: "the last one is said by its number",
      asked: "0",
      said: 'to web-v2; Normal DeploymentRollback: Rolled back deployment "web" to revision 2'
    },
    {
      why: "the present template",
      asked: "3",
      said:
        "clear; Warning DeploymentRollbackTemplateUnchanged: The rollback revision contains the same template as " +
        'current deployment "web"'
    },
    {
      why: "nobody has it",
      asked: "17",
      said: "clear; Warning DeploymentRollbackRevisionNotFound: Unable to find the revision to rollback to."
    }
  ])("to $asked: $why", ({ asked, said }) => {
    expect(saidOf(asked, ["1", "2", "3"])).toBe(said)
  })

  it("to 0 with nothing to go back to", () => {
    expect(saidOf("0", ["1"])).toBe(
      "clear; Warning DeploymentRollbackRevisionNotFound: Unable to find last revision."
    )
  })
})

describe("a Deployment that has gone back", () => {
  const asked = aDeployment({
    version: "v3",
    annotations: { [rollbackAnnotation]: "1", [revisionAnnotation]: "3", note: "third", only: "here" }
  })
  const first = aReplicaSet({ version: "v1", revision: "1", annotations: { note: "first" } })

  it("has the template of the earlier revision, and its hash no more", () => {
    const { template } = withRollback(asked, first).spec
    expect(template).toEqual(aDeployment({ version: "v1" }).spec.template)
  })

  it("has the annotations of the earlier revision for its own, but for those that never travel", () => {
    expect(withRollback(asked, first).metadata.annotations).toEqual({
      [revisionAnnotation]: "3",
      note: "first"
    })
  })

  it("is as it was but for the request, where there is nowhere to go", () => {
    const { [rollbackAnnotation]: _request, ...annotations } = asked.metadata.annotations ?? {}
    expect(withRollback(asked, undefined)).toEqual({ ...asked, metadata: { ...asked.metadata, annotations } })
  })
})
