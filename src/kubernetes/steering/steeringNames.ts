/** The annotations, the readiness gate and the condition of steered Deployments. All of them are seen by kubectl. */
export const annotationPrefix = "charthouse.dev/"

/** On a Deployment, by its user: which steering chart, with its settings, as YAML. */
export const strategyAnnotation = `${annotationPrefix}strategy`
/** On a Deployment, by its user: go on to the next step; `all`: to the end. Removed when it is done. */
export const promoteAnnotation = `${annotationPrefix}promote`
/** On a Deployment, by its user: take no further step while it is there. */
export const holdAnnotation = `${annotationPrefix}hold`
/** On a Deployment, by its user: end this rollout. Its value is the reason. */
export const abortAnnotation = `${annotationPrefix}abort`
/** On a Deployment, by the steering controller: how far the rollout has come, as JSON. */
export const recordAnnotation = `${annotationPrefix}steering`
/** On a ReplicaSet, by the steering controller: its hash, and when its revision was complete. */
export const completedAnnotation = `${annotationPrefix}completed`

/** The readiness gate of Pods that wait for an approval. */
export const approvalGate = `${annotationPrefix}approved`
/** The condition of a Deployment that tells where its steering stands. */
export const steeredCondition = `${annotationPrefix}Steered`
/** How the message of this condition ends once all steps are over, but not all Pods available. */
export const afterStepsText = "approves all its Pods"

/** The field manager of the steering controller, and the component in its Events. */
export const steeringManager = "charthouse-steer"

/** Of Jobs that hooks start, and of their Pods: the hook, and the pod-template-hash of the new revision. */
export const hookLabel = `${annotationPrefix}hook`
export const revisionHashLabel = `${annotationPrefix}revision-hash`
