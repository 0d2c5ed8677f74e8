import { controllerReference } from "../../src/kubernetes/meta/ownerReferences.ts"
import { aTime, metadataOf } from "./storedObjects.ts"
import type { ObjectOptions } from "./storedObjects.ts"
import type {
  ContainerStatus,
  KubeObject,
  Pod,
  PodCondition,
  PodSpec
} from "../../src/kubernetes/meta/objects.ts"

export interface PodOptions extends ObjectOptions {
  readonly owner?: KubeObject
  readonly node?: string | undefined
  readonly phase?: string
  /** Since so many seconds after the start; `true` is a Pod that does not say since when. */
  readonly ready?: number | boolean
  readonly restarts?: ReadonlyArray<number>
  /** Its deletion cost. */
  readonly cost?: string
  readonly spec?: Partial<PodSpec>
}

/** A Pod that runs on node `n1` and is not ready. */
export const aPod = (options: PodOptions = {}): Pod => {
  const { owner, ready = false, cost, restarts } = options
  const node = "node" in options ? options.node : "n1"
  const annotations =
    cost === undefined
      ? options.annotations
      : { ...options.annotations, "controller.kubernetes.io/pod-deletion-cost": cost }
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      ...metadataOf(annotations === undefined ? options : { ...options, annotations }, {
        name: "web-v1-x2k5l",
        labels: { app: "web" }
      }),
      ...(owner === undefined ? {} : { ownerReferences: [controllerReference(owner)] })
    },
    spec: {
      containers: [{ name: "app", image: "registry.example/app:v1" }],
      ...(node === undefined ? {} : { nodeName: node }),
      ...options.spec
    },
    status: {
      phase: options.phase ?? "Running",
      conditions: [aReadyCondition(ready)],
      ...(restarts === undefined ? {} : { containerStatuses: restarts.map(readyContainer) })
    }
  }
}

const aReadyCondition = (ready: number | boolean): PodCondition => ({
  type: "Ready",
  status: ready === false ? "False" : "True",
  ...(typeof ready === "number" ? { lastTransitionTime: aTime(ready) } : {})
})

const readyContainer = (restartCount: number, index: number): ContainerStatus =>
  aContainerStatus({ name: index === 0 ? "app" : `app-${index}`, ready: true, restartCount })

/** The status of a container that is not ready and was never restarted. */
export const aContainerStatus = (status: Partial<ContainerStatus> = {}): ContainerStatus => ({
  name: "app",
  image: "registry.example/app:v1",
  imageID: "",
  ready: false,
  restartCount: 0,
  ...status
})

/** The state of a container that runs since so many seconds after the start. */
export const aRunningState = (since?: number) => ({
  running: since === undefined ? {} : { startedAt: aTime(since) }
})

export const aWaitingState = (reason: string, message?: string) => ({
  waiting: { reason, ...(message === undefined ? {} : { message }) }
})

/** The state of a container that ran between these seconds after the start, where they are given. */
export const aTerminatedState = (
  exitCode: number,
  more: {
    readonly from?: number
    readonly to?: number
    readonly reason?: string
    readonly containerID?: string | undefined
  } = {}
) => ({
  terminated: {
    exitCode,
    ...(more.reason === undefined ? {} : { reason: more.reason }),
    ...(more.from === undefined ? {} : { startedAt: aTime(more.from) }),
    ...(more.to === undefined ? {} : { finishedAt: aTime(more.to) }),
    ...(more.containerID === undefined ? {} : { containerID: more.containerID })
  }
})
