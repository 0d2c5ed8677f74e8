import * as Context from "effect/Context"
import * as Fiber from "effect/Fiber"
import type { ControllerName } from "./controllerRanks.ts"

/** Who writes: a controller by its name, or any other writer (a client, a fault). */
export type WriterName = ControllerName | "client"

/** Inherited by child fibers. */
export const CurrentWriter = Context.Reference<WriterName>("charthouse/runtime/CurrentWriter", {
  defaultValue: () => "client"
})

/** For synchronous listeners of a change. */
export const currentWriterName = (): WriterName => Fiber.getCurrent()?.getRef(CurrentWriter) ?? "client"

/** How texts name a writer. `endpoints` is the writer of both Endpoints and EndpointSlices. */
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
