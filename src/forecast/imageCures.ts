import { allContainerStatuses, isPodActive } from "../kubernetes/pods/podState.ts"
import { isImageName } from "../kubernetes/pods/containers/images.ts"
import { isUnpullable } from "../faults/pods/lastingPodFaults.ts"
import { kubectlCommand, patchRequest, workloadPath } from "./cureRequests.ts"
import type { CureContext, PlayableCure } from "./playableCure.ts"
import type { Pod } from "../kubernetes/meta/objects.ts"
import type { PodLife } from "../kubernetes/pods/podLife.ts"
import type { WorkloadWithTemplate } from "./cureRequests.ts"

const pullFailureReasons = ["ImagePullBackOff", "ErrImagePull", "ErrImageNeverPull", "InvalidImageName"]

/** A person has to name the new image; the forecast plays the cure with an example. */
export const imageCures = (
  workload: WorkloadWithTemplate,
  pods: ReadonlyArray<Pod>,
  faults: CureContext["faults"]
): ReadonlyArray<PlayableCure> => {
  const { containers = [], initContainers = [] } = workload.spec.template.spec ?? {}
  const imagesNotPulled = new Set(
    pods.filter(isPodActive).flatMap((pod) =>
      allContainerStatuses(pod)
        .filter(({ state }) => pullFailureReasons.includes(state?.waiting?.reason ?? ""))
        .map(({ image }) => image)
    )
  )
  const isRefusedByFault = (image: string): boolean =>
    faults.some(({ fault }) => fault.fault === "pullFails" && isUnpullable(fault.image, { image }))
  return [
    ...containers.map((container) => ({ ...container, field: "containers" })),
    ...initContainers.map((initContainer) => ({ ...initContainer, field: "initContainers" }))
  ].flatMap(({ name, image = "", field }) => {
    if (!imagesNotPulled.has(image) || isRefusedByFault(image)) return []
    const pullable = pullableImage(image)
    const body = { spec: { template: { spec: { [field]: [{ name, image: pullable }] } } } }
    return [
      {
        id: `image-${name}`,
        title: `Set an image of ${name} that can be pulled`,
        command: kubectlCommand("set image", workload, ` ${name}=IMAGE`),
        requestWithExample: patchRequest(workloadPath(workload), "strategic-merge", body),
        changeLife: (pod: Pod, life: PodLife) => withPullableImage(pod, life, pullable)
      }
    ]
  })
}

/** Another tag of the same repository, so that the same behaviours match it; another image if the name is invalid. */
const pullableImage = (image: string): string => {
  const repository = image.replace(/@.*$/u, "").replace(/:[^/:]*$/u, "")
  const fixed = `${repository}:pullable`
  return isImageName(fixed) ? fixed : "registry.example/image:pullable"
}

const withPullableImage = (pod: Pod, life: PodLife, image: string): PodLife => {
  const { containers, initContainers = [] } = pod.spec
  const names = [...containers, ...initContainers]
    .filter((container) => container.image === image)
    .map(({ name }) => name)
  if (names.length === 0) return life
  const pullableContainers = Object.fromEntries(
    names.map((name) => [name, { ...(life.containers[name] ?? life.otherContainers), pullFailures: 0 }])
  )
  return { ...life, containers: { ...life.containers, ...pullableContainers } }
}
