/**
 * Protobuf field numbers; `!`: no `omitempty` in JSON; `@`: inlined in JSON. The structs
 * of autoscaling/v2 begin with `V2`, because autoscaling/v1 has some of the same names.
 *
 * Source: generated.proto of k8s.io/api/{apps,autoscaling,batch,core,policy,scheduling}/v1, k8s.io/api/autoscaling/v2.
 */
export const workloadNumbers = `
Deployment: metadata=1 spec=2 status=3
DeploymentSpec: replicas=1! selector=2 template=3 strategy=4 minReadySeconds=5
  revisionHistoryLimit=6! paused=7 progressDeadlineSeconds=9!
DeploymentStrategy: type=1 rollingUpdate=2
RollingUpdateDeployment: maxUnavailable=1! maxSurge=2!
DeploymentStatus: observedGeneration=1 replicas=2 updatedReplicas=3 availableReplicas=4
  unavailableReplicas=5 conditions=6 readyReplicas=7 collisionCount=8! terminatingReplicas=9!
DeploymentCondition: type=1! status=2! reason=4 message=5 lastUpdateTime=6 lastTransitionTime=7
ReplicaSet: metadata=1 spec=2 status=3
ReplicaSetSpec: replicas=1! selector=2 template=3 minReadySeconds=4
ReplicaSetStatus: replicas=1! fullyLabeledReplicas=2 observedGeneration=3 readyReplicas=4
  availableReplicas=5 conditions=6 terminatingReplicas=7!
ReplicaSetCondition: type=1! status=2! lastTransitionTime=3 reason=4 message=5
DaemonSet: metadata=1 spec=2 status=3
DaemonSetSpec: selector=1 template=2 updateStrategy=3 minReadySeconds=4 revisionHistoryLimit=6!
DaemonSetUpdateStrategy: type=1 rollingUpdate=2
RollingUpdateDaemonSet: maxUnavailable=1! maxSurge=2!
DaemonSetStatus: currentNumberScheduled=1! numberMisscheduled=2! desiredNumberScheduled=3!
  numberReady=4! observedGeneration=5 updatedNumberScheduled=6 numberAvailable=7 numberUnavailable=8
  collisionCount=9! conditions=10
DaemonSetCondition: type=1! status=2! lastTransitionTime=3 reason=4 message=5
StatefulSet: metadata=1 spec=2 status=3
StatefulSetSpec: replicas=1! selector=2 template=3 volumeClaimTemplates=4 serviceName=5!
  podManagementPolicy=6 updateStrategy=7 revisionHistoryLimit=8! minReadySeconds=9
  persistentVolumeClaimRetentionPolicy=10 ordinals=11
StatefulSetOrdinals: start=1!
StatefulSetPersistentVolumeClaimRetentionPolicy: whenDeleted=1 whenScaled=2
StatefulSetUpdateStrategy: type=1 rollingUpdate=2
RollingUpdateStatefulSetStrategy: partition=1! maxUnavailable=2!
StatefulSetStatus: observedGeneration=1 replicas=2! readyReplicas=3 currentReplicas=4
  updatedReplicas=5 currentRevision=6 updateRevision=7 collisionCount=9! conditions=10
  availableReplicas=11!
StatefulSetCondition: type=1! status=2! lastTransitionTime=3 reason=4 message=5
ControllerRevision: metadata=1 data=2 revision=3!
ReplicationController: metadata=1 spec=2 status=3
ReplicationControllerSpec: replicas=1! selector=2 template=3 minReadySeconds=4
ReplicationControllerStatus: replicas=1! fullyLabeledReplicas=2 observedGeneration=3 readyReplicas=4
  availableReplicas=5 conditions=6
ReplicationControllerCondition: type=1! status=2! lastTransitionTime=3 reason=4 message=5
Job: metadata=1 spec=2 status=3
JobSpec: parallelism=1! completions=2! activeDeadlineSeconds=3! selector=4 manualSelector=5!
  template=6 backoffLimit=7! ttlSecondsAfterFinished=8! completionMode=9! suspend=10!
  podFailurePolicy=11 backoffLimitPerIndex=12! maxFailedIndexes=13! podReplacementPolicy=14!
  managedBy=15! successPolicy=16
PodFailurePolicy: rules=1
PodFailurePolicyRule: action=1! onExitCodes=2 onPodConditions=3
PodFailurePolicyOnExitCodesRequirement: containerName=1! operator=2! values=3
PodFailurePolicyOnPodConditionsPattern: type=1! status=2!
SuccessPolicy: rules=1
SuccessPolicyRule: succeededIndexes=1! succeededCount=2!
JobStatus: conditions=1 startTime=2 completionTime=3 active=4 succeeded=5 failed=6
  completedIndexes=7 uncountedTerminatedPods=8 ready=9! failedIndexes=10! terminating=11!
JobCondition: type=1! status=2! lastProbeTime=3 lastTransitionTime=4 reason=5 message=6
UncountedTerminatedPods: succeeded=1 failed=2
CronJob: metadata=1 spec=2 status=3
CronJobSpec: schedule=1! startingDeadlineSeconds=2! concurrencyPolicy=3 suspend=4! jobTemplate=5
  successfulJobsHistoryLimit=6! failedJobsHistoryLimit=7! timeZone=8!
JobTemplateSpec: metadata=1 spec=2
CronJobStatus: active=1 lastScheduleTime=4 lastSuccessfulTime=5
HorizontalPodAutoscaler: metadata=1 spec=2 status=3
HorizontalPodAutoscalerSpec: scaleTargetRef=1 minReplicas=2! maxReplicas=3!
  targetCPUUtilizationPercentage=4!
CrossVersionObjectReference: kind=1! name=2! apiVersion=3
HorizontalPodAutoscalerStatus: observedGeneration=1! lastScaleTime=2 currentReplicas=3!
  desiredReplicas=4! currentCPUUtilizationPercentage=5!
V2HorizontalPodAutoscaler: metadata=1 spec=2 status=3
V2HorizontalPodAutoscalerSpec: scaleTargetRef=1 minReplicas=2! maxReplicas=3! metrics=4 behavior=5
V2HorizontalPodAutoscalerBehavior: scaleUp=1 scaleDown=2
V2HPAScalingRules: selectPolicy=1! policies=2 stabilizationWindowSeconds=3! tolerance=4
V2HPAScalingPolicy: type=1! value=2! periodSeconds=3!
V2MetricSpec: type=1! object=2 pods=3 resource=4 external=5 containerResource=7
V2ContainerResourceMetricSource: name=1! target=2 container=3!
V2MetricTarget: type=1! value=2 averageValue=3 averageUtilization=4!
V2ExternalMetricSource: metric=1 target=2
V2MetricIdentifier: name=1! selector=2
V2ObjectMetricSource: describedObject=1 target=2 metric=3
V2CrossVersionObjectReference: kind=1! name=2! apiVersion=3
V2PodsMetricSource: metric=1 target=2
V2ResourceMetricSource: name=1! target=2
V2HorizontalPodAutoscalerStatus: observedGeneration=1! lastScaleTime=2 currentReplicas=3
  desiredReplicas=4! currentMetrics=5 conditions=6
V2HorizontalPodAutoscalerCondition: type=1! status=2! lastTransitionTime=3 reason=4 message=5
V2MetricStatus: type=1! object=2 pods=3 resource=4 external=5 containerResource=7
V2ContainerResourceMetricStatus: name=1! current=2 container=3!
V2MetricValueStatus: value=1 averageValue=2 averageUtilization=3!
V2ExternalMetricStatus: metric=1 current=2
V2ObjectMetricStatus: metric=1 current=2 describedObject=3
V2PodsMetricStatus: metric=1 current=2
V2ResourceMetricStatus: name=1! current=2
PodDisruptionBudget: metadata=1 spec=2 status=3
PodDisruptionBudgetSpec: minAvailable=1! selector=2 maxUnavailable=3! unhealthyPodEvictionPolicy=4!
PodDisruptionBudgetStatus: observedGeneration=1 disruptedPods=2 disruptionsAllowed=3!
  currentHealthy=4! desiredHealthy=5! expectedPods=6! conditions=7
PriorityClass: metadata=1 value=2! globalDefault=3 description=4 preemptionPolicy=5!
`
