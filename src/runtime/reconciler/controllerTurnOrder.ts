/**
 * The controllers that faults can affect, by the names that faults use. At one instant, the controller with the lowest
 * number goes first: dependents before owners. Only the order of the numbers counts.
 */
export const controllerTurnOrder = {
  deployment: 60,
  replicaSet: 50,
  statefulSet: 52,
  daemonSet: 54,
  job: 56,
  cronJob: 58,
  horizontalPodAutoscaler: 62,
  steering: 64,
  pod: 10,
  node: 30,
  scheduler: 20,
  garbageCollector: 40,
  podGarbageCollector: 40,
  namespace: 70,
  endpoints: 110,
  disruptionBudget: 100,
  resourceQuota: 80
} as const

export type ControllerName = keyof typeof controllerTurnOrder

export const controllerNames = Object.keys(controllerTurnOrder) as ReadonlyArray<ControllerName>

/** No fault affects service accounts and their tokens. */
export const serviceAccountTurnOrder = 90

/** No fault affects the release of Pods whose Job is gone. */
export const orphanedJobPodTurnOrder = 57

/** No fault affects the binding of volumes. It comes after the scheduler, which asks for volumes. */
export const volumeTurnOrder = 25
