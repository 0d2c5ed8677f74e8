import { defaultSchedulerName } from "../../kubernetes/pods/podState.ts"
import { draftPodSpec } from "../draftPodSpec.ts"
import { isWorkload } from "../workloads.ts"
import { displayName } from "../../kubernetes/meta/text/displayName.ts"
import { fieldsOrEmpty } from "../../kubernetes/meta/fields.ts"
import type { ManifestDocument } from "../../manifests/manifestDocument.ts"
import type { PodSpec } from "../../kubernetes/meta/objects.ts"

type Spec = Partial<PodSpec>

export const unplayedFieldWarnings = (next: ReadonlyArray<ManifestDocument>): ReadonlyArray<string> =>
  next.filter(isWorkload).flatMap(({ kind, draft }) => {
    const name = displayName({ ...draft.metadata, name: draft.metadata.name ?? "" })
    return [
      ...schedulerWarnings(draftPodSpec(draft) ?? {}),
      ...(kind.kind === "StatefulSet" ? maxUnavailableWarnings(draft) : [])
    ].map((warning) => `${kind.kind}/${name} asks for ${warning}`)
  })

const schedulerWarnings = ({ schedulerName = "", nodeName = "" }: Spec): ReadonlyArray<string> =>
  schedulerName === "" || schedulerName === defaultSchedulerName || nodeName !== ""
    ? []
    : [`schedulerName ${schedulerName}: there is no such scheduler here, and its Pods wait for it for ever`]

const maxUnavailableWarnings = (draft: ManifestDocument["draft"]): ReadonlyArray<string> => {
  const { updateStrategy } = fieldsOrEmpty(fieldsOrEmpty(draft)["spec"])
  const { maxUnavailable } = fieldsOrEmpty(fieldsOrEmpty(updateStrategy)["rollingUpdate"])
  const isPlayed = maxUnavailable === undefined || maxUnavailable === 1
  return isPlayed || (typeof maxUnavailable !== "number" && typeof maxUnavailable !== "string")
    ? []
    : [
        `maxUnavailable ${maxUnavailable}: release 1.36 drops it, unless the gate MaxUnavailableStatefulSet is on, and replaces its Pods one at a time`
      ]
}
