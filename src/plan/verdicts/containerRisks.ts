import { allContainersOf, draftPodSpec } from "../draftPodSpec.ts"
import {
  containerPath,
  defaultTerminationGraceSeconds,
  preStopMillis
} from "../../kubernetes/pods/containers/containers.ts"
import { secondsUntilEnd } from "../seeds/briefCommand.ts"
import type { ManifestDocument } from "../../manifests/manifestDocument.ts"
import type { Reason } from "./verdict.ts"
import type { WorkloadWithKind } from "../workloads.ts"

/** Mistakes in the containers of a workload that its figures do not show. */
export const containerRisks = (
  { kind, object }: WorkloadWithKind,
  before: ManifestDocument | undefined
): ReadonlyArray<Reason> => {
  const spec = object.spec.template.spec ?? { containers: [] }
  const graceSeconds = spec.terminationGracePeriodSeconds ?? defaultTerminationGraceSeconds
  const imagesBefore = imagesOfDocument(before)
  return allContainersOf(spec).flatMap((container): ReadonlyArray<Reason> => {
    const path = ["spec", "template", "spec", ...containerPath(spec, container.name)]
    const title = `container ${JSON.stringify(container.name)}`
    const hookSeconds = preStopMillis(container) / 1000
    const { imagePullPolicy, image = "" } = container
    const sleepSeconds =
      kind === "Job" || !spec.containers.includes(container) ? undefined : secondsUntilEnd(container)
    return [
      ...(sleepSeconds === undefined
        ? []
        : [
            {
              rule: "container-ends" as const,
              text: `${title} ends after ${sleepSeconds}s, again and again: its command only sleeps`,
              field: [...path, "command"]
            }
          ]),
      ...(hookSeconds > 0 && hookSeconds >= graceSeconds
        ? [
            {
              rule: "stop-cut-short" as const,
              text: `preStop of ${title} takes ${hookSeconds}s, and terminationGracePeriodSeconds: ${graceSeconds} leaves its processes no time to stop`,
              field: [...path, "lifecycle", "preStop"]
            }
          ]
        : []),
      ...(imagePullPolicy === "Never" && !imagesBefore.has(image)
        ? [
            {
              rule: "image-not-pulled" as const,
              text: `${title} has imagePullPolicy: Never, and fails on nodes that do not have ${image} already`,
              field: [...path, "imagePullPolicy"]
            }
          ]
        : [])
    ]
  })
}

export const imagesOfDocument = (document: ManifestDocument | undefined): ReadonlySet<string | undefined> =>
  new Set(allContainersOf((document && draftPodSpec(document.draft)) ?? {}).map(({ image }) => image))
