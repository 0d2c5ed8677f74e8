import { defaultSchedulerName } from "../../kubernetes/pods/podState.ts"
import { draftPodSpec } from "../draftPodSpec.ts"
import { isWorkload } from "../workloads.ts"
import { displayName } from "../../kubernetes/meta/text/displayName.ts"
import type { ManifestDocument } from "../../manifests/manifestDocument.ts"
import type { PodSpec } from "../../kubernetes/meta/objects.ts"

type Spec = Partial<PodSpec>

export const unplayedFieldWarnings = (next: ReadonlyArray<ManifestDocument>): ReadonlyArray<string> =>
  next.filter(isWorkload).flatMap(({ kind, draft }) => {
    const name = displayName({ ...draft.metadata, name: draft.metadata.name ?? "" })
    return schedulerWarnings(draftPodSpec(draft) ?? {}).map(
      (warning) => `${kind.kind}/${name} asks for ${warning}`
    )
  })

const schedulerWarnings = ({ schedulerName = "", nodeName = "" }: Spec): ReadonlyArray<string> =>
  schedulerName === "" || schedulerName === defaultSchedulerName || nodeName !== ""
    ? []
    : [`schedulerName ${schedulerName}: there is no such scheduler here, and its Pods wait for it for ever`]
