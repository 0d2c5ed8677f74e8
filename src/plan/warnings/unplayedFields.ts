import { defaultSchedulerName } from "../../kubernetes/pods/podState.ts"
import { draftPodSpec } from "../draftPodSpec.ts"
import { isOfResource } from "../documentKeys.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { displayName } from "../../kubernetes/meta/text/displayName.ts"
import type { ManifestDocument } from "../../manifests/manifestDocument.ts"
import type { PodSpec } from "../../kubernetes/meta/objects.ts"

type Spec = Partial<PodSpec>

/** What keeps Pods pending in Kubernetes and not here. */
export const unplayedFieldWarnings = (next: ReadonlyArray<ManifestDocument>): ReadonlyArray<string> =>
  next.filter(isOfResource(resources.deployments)).flatMap(({ draft }) => {
    const name = displayName({ ...draft.metadata, name: draft.metadata.name ?? "" })
    return schedulerWarnings(draftPodSpec(draft) ?? {}).map(
      (warning) => `Deployment/${name} asks for ${warning}`
    )
  })

const schedulerWarnings = ({ schedulerName = "", nodeName = "" }: Spec): ReadonlyArray<string> =>
  schedulerName === "" || schedulerName === defaultSchedulerName || nodeName !== ""
    ? []
    : [`schedulerName ${schedulerName}: there is no such scheduler here, and its Pods wait for it for ever`]
