import { countText } from "../../src/kubernetes/meta/text/countText.ts"
import { isTerminating } from "../../src/kubernetes/meta/deletion.ts"
import { templateRecordText } from "../revisionActions.ts"
import type {
  ControllerRevision,
  TemplateRecord
} from "../../src/kubernetes/apps/controllerRevisions/controllerRevisions.ts"
import type { GuardWording } from "./guard.ts"
import type { KubeObject, Pod } from "../../src/kubernetes/meta/objects.ts"
import type { OwnershipChanges } from "../../src/kubernetes/apps/deploymentObservation.ts"

/** The parts that the observations of a StatefulSet and of a DaemonSet share. */
interface RevisionObservation {
  readonly claims: OwnershipChanges<Pod>
  readonly revisions: ReadonlyArray<ControllerRevision>
  readonly orphanedRevisions: ReadonlyArray<ControllerRevision>
  readonly templateRecord: TemplateRecord
}

export const revisionGuards = <Seen extends RevisionObservation, Guard>(
  guard: (predicate: (seen: Seen) => boolean, words: GuardWording, reason: (seen: Seen) => string) => Guard,
  ownerOf: (seen: Seen) => KubeObject
) => ({
  isTerminating: guard(
    (seen) => isTerminating(ownerOf(seen)),
    "being deleted",
    (seen) => {
      const { deletionTimestamp } = ownerOf(seen).metadata
      return deletionTimestamp === undefined
        ? "its deletion was not requested"
        : `to be deleted since ${deletionTimestamp}`
    }
  ),
  hasClaims: guard(
    ({ claims, orphanedRevisions }) =>
      claims.adopt.length + claims.release.length + orphanedRevisions.length > 0,
    "something to adopt or release",
    ({ claims, orphanedRevisions }) =>
      `${countText(claims.adopt.length, "Pod")} and ${countText(orphanedRevisions.length, "revision")} to adopt, ` +
      `${countText(claims.release.length, "Pod")} to release`
  ),
  isTemplateNew: guard(
    ({ templateRecord }) => templateRecord.type === "create",
    ["the template is new", "the template is recorded"],
    templateRecordText
  ),
  isTemplateBack: guard(
    ({ templateRecord }) => templateRecord.type === "renumber",
    "an earlier template is back",
    templateRecordText
  )
})
