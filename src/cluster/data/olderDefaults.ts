import { withBothAccountNames } from "../../kubernetes/admission/defaults/podDefaults.ts"
import { isFields } from "../../kubernetes/meta/fields.ts"
import type { Fields } from "../../kubernetes/meta/fields.ts"
import type { KubeObject, PodSpec } from "../../kubernetes/meta/objects.ts"

/**
 * Earlier versions left `serviceAccount` out of Pod templates. The next write adds it to one object alone, and would
 * begin a rollout.
 */
export const withPresentDefaults = (object: KubeObject): KubeObject =>
  versionsWithTemplates.has(object.apiVersion)
    ? (withAccountNamesOfPods(object as unknown as Fields) as unknown as KubeObject)
    : object

const versionsWithTemplates: ReadonlySet<string> = new Set(["apps/v1", "batch/v1", "v1"])

/** From an object to the Pod templates of workloads, CronJobs, ControllerRevisions and PodTemplates. */
const fieldsAbovePods = ["spec", "template", "jobTemplate", "data"]

const withAccountNamesOfPods = (fields: Fields): Fields => {
  let changed = Array.isArray(fields["containers"])
    ? (withBothAccountNames(fields as unknown as PodSpec) as unknown as Fields)
    : fields
  for (const field of fieldsAbovePods) {
    const inner = fields[field]
    const changedInner = isFields(inner) ? withAccountNamesOfPods(inner) : inner
    if (changedInner !== inner) changed = { ...changed, [field]: changedInner }
  }
  return changed
}
