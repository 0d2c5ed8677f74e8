/**
 * Controllers by the names that faults use. At one instant the lowest number runs first: dependents before
 * owners.
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

export const serviceAccountTurnOrder = 90

export const orphanedJobPodTurnOrder = 57

/** Volumes are bound after the scheduler asks for them. */
export const volumeTurnOrder = 25
