import { fieldsOrEmpty } from "../../kubernetes/meta/fields.ts"
import { withSpec } from "../previous/previousDocuments.ts"
import { workloadsAmong } from "../workloads.ts"
import type { ManifestDocument } from "../../manifests/manifestDocument.ts"
import type { PlanInput } from "../seeds/playSeed.ts"

/**
 * A change is compared with a restart of the same workloads in `from`. Undefined if `from` has none of them but Jobs,
 * whose template never changes.
 */
export const restartOfBase = <W extends Pick<PlanInput, "from" | "next">>(input: W): W | undefined => {
  const plannedIds = new Set(workloadsAmong(input.next).map(({ id }) => id))
  const restarted = (input.from ?? []).filter(
    (document) =>
      document.kind.kind !== "Job" && workloadsAmong([document]).some(({ id }) => plannedIds.has(id))
  )
  return restarted.length === 0 ? undefined : { ...input, next: restarted.map(restart) }
}

/**
 * Any time changes the template. Source:
 * kubectl/pkg/polymorphichelpers/objectrestarter.go.
 */
const restart = (document: ManifestDocument): ManifestDocument =>
  withSpec(document, (spec) => {
    const template = fieldsOrEmpty(spec["template"])
    const metadata = fieldsOrEmpty(template["metadata"])
    const annotations = {
      ...fieldsOrEmpty(metadata["annotations"]),
      "kubectl.kubernetes.io/restartedAt": "2000-01-01T00:00:00Z"
    }
    return { ...spec, template: { ...template, metadata: { ...metadata, annotations } } }
  })
