/** The annotations, the readiness gate and the condition of steered Deployments. All of them are seen by kubectl. */
const prefix = "charthouse.dev/"

/** On a Deployment, by its user: which steering chart, with its settings, as YAML. */
export const strategyAnnotation = `${prefix}strategy`
/** On a Deployment, by its user: go on to the next step; `all`: to the end. Removed when it is done. */
export const promoteAnnotation = `${prefix}promote`
/** On a Deployment, by its user: take no further step while it is there. */
export const holdAnnotation = `${prefix}hold`
/** On a Deployment, by its user: end this rollout. Its value is the reason. */
export const abortAnnotation = `${prefix}abort`
/** On a Deployment, by the steering controller: how far the rollout has come, as JSON. */
export const recordAnnotation = `${prefix}steering`
/** On a ReplicaSet, by the steering controller: its hash, and when its revision was complete. */
export const completedAnnotation = `${prefix}completed`

/** The readiness gate of Pods that wait for an approval. */
export const approvalGate = `${prefix}approved`
/** The condition of a Deployment that tells where its steering stands. */
export const steeredCondition = `${prefix}Steered`
/** How the message of this condition ends once all steps are over, but not all Pods available. */
export const afterStepsText = "approves all its Pods"

/** The field manager of the steering controller, and the component in its Events. */
export const steeringManager = "charthouse-steer"

/** Of Jobs that hooks start, and of their Pods: the hook, and the pod-template-hash of the new revision. */
export const hookLabel = `${prefix}hook`
export const revisionHashLabel = `${prefix}revision-hash`
