import * as Context from "effect/Context"
import * as Fiber from "effect/Fiber"
import type { ControllerName } from "./controllerTurnOrder.ts"
import type { ObjectStore } from "../../store/objectStore.ts"

/** `client` also stands for faults. */
export type WriterName = ControllerName | "client"

export const CurrentWriter = Context.Reference<WriterName>("charthouse/runtime/CurrentWriter", {
  defaultValue: () => "client"
})

/** The writer during `modifyNow`, which runs without a fiber. */
let writerWithoutFiber: WriterName | undefined

export const currentWriterName = (): WriterName =>
  writerWithoutFiber ?? Fiber.getCurrent()?.getRef(CurrentWriter) ?? "client"

export const withWriter = (store: ObjectStore["Service"], writer: WriterName): ObjectStore["Service"] => {
  const { modifyNow } = store
  if (modifyNow === undefined) return store
  return {
    ...store,
    modifyNow: (ref, change, options) => {
      const previousWriter = writerWithoutFiber
      writerWithoutFiber = writer
      try {
        return modifyNow(ref, change, options)
      } finally {
        writerWithoutFiber = previousWriter
      }
    }
  }
}

/** `endpoints` is the writer of both Endpoints and EndpointSlices. */
export const writerNames: Readonly<Record<WriterName, string>> = {
  deployment: "Deployment controller",
  replicaSet: "ReplicaSet controller",
  statefulSet: "StatefulSet controller",
  daemonSet: "DaemonSet controller",
  job: "Job controller",
  cronJob: "CronJob controller",
  horizontalPodAutoscaler: "HorizontalPodAutoscaler controller",
  steering: "steering controller",
  pod: "kubelet",
  node: "node controller",
  scheduler: "scheduler",
  garbageCollector: "garbage collector",
  podGarbageCollector: "Pod garbage collector",
  namespace: "namespace controller",
  endpoints: "endpoints controller",
  disruptionBudget: "disruption controller",
  resourceQuota: "ResourceQuota controller",
  client: "a client"
}
