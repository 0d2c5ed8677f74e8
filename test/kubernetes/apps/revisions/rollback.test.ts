import { describe, expect, it } from "vitest"
import {
  rollBack,
  rollbackRevision,
  rollbackTarget,
  withRollback
} from "../../../../src/kubernetes/apps/revisions/rollback.ts"
import {
  revisionAnnotation,
  rollbackAnnotation
} from "../../../../src/kubernetes/apps/revisions/revisions.ts"
import { aDeployment, anObservation, aReplicaSet } from "../../../builders.ts"

/**
 * A Deployment of `v3` with this rollback request, among ReplicaSets of these revisions: `v1` the first, and so
 * on.
 */
const observe = (requested: string | undefined, revisions: ReadonlyArray<string | undefined>) =>
  anObservation({
    deployment: aDeployment({
      version: "v3",
      annotations: { note: "hi", ...(requested === undefined ? {} : { [rollbackAnnotation]: requested }) }
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
  const target = rollbackTarget(observe(undefined, revisions), BigInt(revision))
  return typeof target === "string" ? target : target.metadata.name
}

describe("the target of a rollback", () => {
  it.each([
    { why: "the requested revision", revision: 1, revisions: ["1", "2", "3"], target: "web-v1" },
    {
      why: "by revision, not by position",
      revision: 7,
      revisions: ["7", "9", "8"],
      target: "web-v1"
    },
    { why: "0 is the second highest", revision: 0, revisions: ["1", "2", "3"], target: "web-v2" },
    { why: "in any order of creation", revision: 0, revisions: ["5", "9", "7"], target: "web-v3" },
    {
      why: "the last one is not the second highest",
      revision: 0,
      revisions: ["7", "9", "3"],
      target: "web-v1"
    },
    { why: "only one ReplicaSet", revision: 0, revisions: ["4"], target: "none" },
    { why: "no ReplicaSet", revision: 0, revisions: [], target: "none" },
    { why: "a missing revision counts as 0", revision: 0, revisions: [undefined, "1"], target: "none" },
    {
      why: "an invalid revision is ignored",
      revision: 0,
      revisions: ["x", "2", "1"],
      target: "web-v3"
    },
    { why: "an unknown revision", revision: 6, revisions: ["1", "2"], target: "unknown" },
    { why: "a negative revision", revision: -1, revisions: ["1", "2"], target: "unknown" }
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
  ])("requested as '$text' is $revision", ({ text, revision }) => {
    expect(rollbackRevision(observe(text, []))).toBe(revision)
  })
})

const rollbackText = (requested: string, revisions: ReadonlyArray<string>): string =>
  rollBack(observe(requested, revisions))
    .map((command) => {
      if (command.type === "rollBack")
        return command.to === undefined ? "clear" : `to ${command.to.metadata.name}`
      return command.type === "recordEvent"
        ? `${command.eventType} ${command.reason}: ${command.message}`
        : command.type
    })
    .join("; ")

describe("the commands of a rollback", () => {
  it.each([
    {
      why: "a revision with another template",
      requested: "1",
      expected: 'to web-v1; Normal DeploymentRollback: Rolled back deployment "web" to revision 1'
    },
    {
      why: "the event names the resolved revision",
      requested: "0",
      expected: 'to web-v2; Normal DeploymentRollback: Rolled back deployment "web" to revision 2'
    },
    {
      why: "the current template",
      requested: "3",
      expected:
        "clear; Warning DeploymentRollbackTemplateUnchanged: The rollback revision contains the same template as " +
        'current deployment "web"'
    },
    {
      why: "an unknown revision",
      requested: "17",
      expected:
        "clear; Warning DeploymentRollbackRevisionNotFound: Unable to find the revision to rollback to."
    }
  ])("to $requested: $why", ({ requested, expected }) => {
    expect(rollbackText(requested, ["1", "2", "3"])).toBe(expected)
  })

  it("to 0 without a previous revision", () => {
    expect(rollbackText("0", ["1"])).toBe(
      "clear; Warning DeploymentRollbackRevisionNotFound: Unable to find last revision."
    )
  })
})

describe("a Deployment after a rollback", () => {
  const requested = aDeployment({
    version: "v3",
    annotations: { [rollbackAnnotation]: "1", [revisionAnnotation]: "3", note: "third", only: "here" }
  })
  const first = aReplicaSet({ version: "v1", revision: "1", annotations: { note: "first" } })

  it("has the template of the target without its hash", () => {
    const { template } = withRollback(requested, first).spec
    expect(template).toEqual(aDeployment({ version: "v1" }).spec.template)
  })

  it("has the annotations of the target, except for those that are never copied", () => {
    expect(withRollback(requested, first).metadata.annotations).toEqual({
      [revisionAnnotation]: "3",
      note: "first"
    })
  })

  it("loses only the request when there is no target", () => {
    const { [rollbackAnnotation]: _request, ...annotations } = requested.metadata.annotations ?? {}
    expect(withRollback(requested, undefined)).toEqual({
      ...requested,
      metadata: { ...requested.metadata, annotations }
    })
  })
})
