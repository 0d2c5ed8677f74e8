import { controllerOf } from "../../kubernetes/meta/ownerReferences.ts"
import { displayName } from "../../kubernetes/meta/text/displayName.ts"
import { answerBeforeKillMillis, phaseMaxMillis, spanOf } from "./measuredPods.ts"
import { postStartMillis } from "../../kubernetes/pods/containers/containers.ts"
import { isPodReady, restartCountOf, timeOfCondition } from "../../kubernetes/pods/podState.ts"
import { parseDuration } from "../../kubernetes/meta/amounts/durations.ts"
import { timestampMillis } from "../../kubernetes/meta/amounts/timestamps.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { EventObject, Pod, ReplicaSet } from "../../kubernetes/meta/objects.ts"
import type { Span } from "./measuredPods.ts"

export interface MeasuredImage {
  /** The image with any tag: the next version is assumed to start as these did. */
  readonly glob: string
  readonly images: ReadonlyArray<string>
  readonly podCount: number
  /** Names of workloads: `Deployment/shop/web`. */
  readonly owners: ReadonlyArray<string>
  /** Unix milliseconds of the newest ReplicaSet, or of the newest Pod without one. */
  readonly newestMillis: number
  readonly pull: Span | undefined
  readonly start: Span
  /** Whether `start` includes the pull, because its Event is gone. */
  readonly includesPull: boolean
  /** Undefined if no probe tells when the application answers. */
  readonly ready: Span | undefined
}

export interface MeasuredCluster {
  readonly pods: ReadonlyArray<Pod>
  readonly replicaSets: ReadonlyArray<ReplicaSet>
  readonly events: ReadonlyArray<EventObject>
}

/** Measures only Pods without restarts: a restart would include the wait of a back-off. */
export const measureImages = ({
  pods,
  replicaSets,
  events
}: MeasuredCluster): ReadonlyArray<MeasuredImage> => {
  const revisions = new Map(replicaSets.map((replicaSet) => [replicaSet.metadata.uid, replicaSet]))
  const pulls = pullsByContainer(events)
  const starts = pods
    .filter((pod) => isPodReady(pod) && restartCountOf(pod) === 0)
    .flatMap((pod) => containerStarts(pod, pulls, revisions))
  const globs = Map.groupBy(starts, ({ image }) => imageGlob(image))
  return [...globs]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([glob, startsOfGlob]) => toMeasuredImage(glob, startsOfGlob))
}

/** `registry.example/shop:1.2` and `registry.example/shop:1.2@sha256:…` are `registry.example/shop:*`. */
export const imageGlob = (image: string): string => {
  const [name = "", digest] = image.split("@")
  const tagIndex = name.indexOf(":", name.lastIndexOf("/"))
  if (tagIndex !== -1) return `${name.slice(0, tagIndex)}:*`
  return digest === undefined ? name : `${name}@*`
}

interface ContainerStart {
  readonly image: string
  readonly podUid: string
  readonly owner: string
  readonly createdMillis: number
  readonly pull: ImagePull | undefined
  /** From creation until the container ran, without the pull. */
  readonly startMillis: number
  /** From running until the container answered. */
  readonly readyMillis: number | undefined
}

/** A number is milliseconds; `present` means that the node had the image. */
type ImagePull = number | "present"

const containerStarts = (
  pod: Pod,
  pulls: ReadonlyMap<string, ImagePull>,
  revisions: ReadonlyMap<string, ReplicaSet>
): ReadonlyArray<ContainerStart> => {
  const { metadata, spec, status } = pod
  const readyAtMillis = timeOfCondition(pod, "Ready")
  const begunMillis = timeOfCondition(
    pod,
    (spec.initContainers ?? []).length > 0 ? "Initialized" : "PodScheduled"
  )
  const controller = controllerOf(pod)
  const revision = revisions.get(controller?.uid ?? "")
  const owner = (revision === undefined ? undefined : controllerOf(revision)) ?? controller
  const startTimes = spec.containers.map(({ name }) => {
    const state = status.containerStatuses?.find((it) => it.name === name)?.state
    return timestampMillis(state?.running?.startedAt ?? "")
  })
  return spec.containers.flatMap((container, index) => {
    const startedMillis = startTimes[index] ?? Number.NaN
    // A pull begins after the hooks of earlier containers, except of those that the kubelet started later.
    const earlierStarts = spec.containers.slice(0, index).flatMap((earlier, earlierIndex) => {
      const millis = startTimes[earlierIndex] ?? Number.NaN
      return millis <= startedMillis ? [millis + postStartMillis(earlier)] : []
    })
    const pull = pulls.get(containerKey(metadata.uid, container.name))
    const pullMillis = typeof pull === "number" ? pull : 0
    // Timestamps have whole seconds, pulls milliseconds: the difference may be below 0.
    const startMillis = Math.max(0, startedMillis - Math.max(begunMillis, ...earlierStarts) - pullMillis)
    const readyMillis = readyAtMillis - startedMillis
    if (![startMillis, readyMillis].every((millis) => millis >= 0 && millis <= phaseMaxMillis)) return []
    return {
      image: container.image ?? "",
      podUid: metadata.uid,
      owner: `${owner?.kind ?? "Pod"}/${displayName({ ...metadata, name: owner?.name ?? metadata.name })}`,
      createdMillis: timestampMillis((revision ?? pod).metadata.creationTimestamp ?? ""),
      pull,
      startMillis: Math.round(startMillis),
      readyMillis: answerMillis(container, readyMillis)
    }
  })
}

/** Milliseconds after the container's start by which the application has answered. */
const answerMillis = (container: Core.Container, podReadyMillis: number): number | undefined => {
  if (container.readinessProbe === undefined && container.startupProbe === undefined) return undefined
  return answerBeforeKillMillis(podReadyMillis, container) ?? podReadyMillis
}

const containerKey = (podUid: string, container: string): string => `${podUid}/${container}`

/** Source: pkg/kubelet/images/image_manager.go (EnsureImageExists). */
const pullsByContainer = (events: ReadonlyArray<EventObject>): ReadonlyMap<string, ImagePull> =>
  new Map(
    events.flatMap(({ reason, message = "", involvedObject }): ReadonlyArray<[string, ImagePull]> => {
      const [, container] = /^spec\.containers\{(.+)\}$/.exec(involvedObject?.fieldPath ?? "") ?? []
      if (reason !== "Pulled" || container === undefined) return []
      const [, pullText, withWaitingText = pullText] =
        / in (\S+?)(?: \((\S+) including waiting\))?(?:\.|$)/.exec(message) ?? []
      const millis = withWaitingText === undefined ? undefined : parseDuration(withWaitingText)
      const isPresent = message.includes("already present on machine")
      const pull = isPresent ? "present" : millis
      return pull === undefined ? [] : [[containerKey(involvedObject?.uid ?? "", container), pull]]
    })
  )

const toMeasuredImage = (glob: string, starts: ReadonlyArray<ContainerStart>): MeasuredImage => {
  const withKnownPull = starts.filter(({ pull }) => pull !== undefined)
  const pulls = starts.flatMap(({ pull }) => (typeof pull === "number" ? [Math.round(pull)] : []))
  const includesPull = withKnownPull.length === 0
  const answerTimes = starts.flatMap(({ readyMillis }) => readyMillis ?? [])
  return {
    glob,
    images: [...new Set(starts.map(({ image }) => image))],
    podCount: new Set(starts.map(({ podUid }) => podUid)).size,
    owners: [...new Set(starts.map(({ owner }) => owner))],
    newestMillis: Math.max(...starts.map(({ createdMillis }) => createdMillis)),
    pull: pulls.length === 0 ? undefined : spanOf(pulls),
    start: spanOf((includesPull ? starts : withKnownPull).map(({ startMillis }) => startMillis)),
    includesPull,
    ready: answerTimes.length === 0 ? undefined : spanOf(answerTimes)
  }
}
