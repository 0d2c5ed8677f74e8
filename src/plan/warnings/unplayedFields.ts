import { draftPodSpec } from "../draftPodSpec.ts"
import { isOfResource } from "../documentKeys.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { displayName } from "../../kubernetes/meta/text/displayName.ts"
import type { ManifestDocument } from "../../manifests/manifestDocument.ts"
import type { PodSpec } from "../../kubernetes/meta/objects.ts"

type Spec = Partial<PodSpec>

/**
 * Requirements of Pods that are ignored here: each function returns the requirement's text if the field is used.
 * Source: pkg/scheduler/framework/plugins/volumebinding.
 */
const unplayedFields: ReadonlyArray<(spec: Spec) => string | undefined> = [
  ({ volumes = [] }) =>
    listText(
      "PersistentVolumeClaim",
      volumes.flatMap((volume) => volume.persistentVolumeClaim?.claimName ?? [])
    ),
  ({ volumes = [] }) =>
    listText(
      "ephemeral volume",
      volumes.filter(({ ephemeral }) => ephemeral !== undefined).map(({ name }) => name)
    )
]

export const unplayedFieldWarnings = (next: ReadonlyArray<ManifestDocument>): ReadonlyArray<string> =>
  next.filter(isOfResource(resources.deployments)).flatMap(({ draft }) => {
    const spec = draftPodSpec(draft) ?? {}
    const name = displayName({ ...draft.metadata, name: draft.metadata.name ?? "" })
    return [
      ...unplayedFields
        .flatMap((describe) => describe(spec) ?? [])
        .map((requirement) => `${requirement}: that is not played here, and its Pods run without it`),
      ...schedulerWarnings(spec)
    ].map((warning) => `Deployment/${name} asks for ${warning}`)
  })

const schedulerWarnings = ({ schedulerName = "", nodeName = "" }: Spec): ReadonlyArray<string> =>
  schedulerName === "" || schedulerName === "default-scheduler" || nodeName !== ""
    ? []
    : [`schedulerName ${schedulerName}: there is no such scheduler here, and its Pods wait for it for ever`]

const textIfAny = (values: ReadonlyArray<unknown> = [], text: string): string | undefined =>
  values.length === 0 ? undefined : text

const listText = (label: string, names: ReadonlyArray<string>): string | undefined =>
  textIfAny(names, `${label} ${[...new Set(names)].join(", ")}`)
