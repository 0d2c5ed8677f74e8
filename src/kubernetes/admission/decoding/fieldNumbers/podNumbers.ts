/**
 * Protobuf field numbers; `!`: no `omitempty` in JSON; `@`: inlined in JSON.
 *
 * Source: generated.proto of k8s.io/api/core/v1.
 */
export const podNumbers = `
Pod: metadata=1 spec=2 status=3
PodSpec: volumes=1 containers=2 restartPolicy=3 terminationGracePeriodSeconds=4!
  activeDeadlineSeconds=5! dnsPolicy=6 nodeSelector=7 serviceAccountName=8 serviceAccount=9
  nodeName=10 hostNetwork=11 hostPID=12 hostIPC=13 securityContext=14 imagePullSecrets=15
  hostname=16 subdomain=17 affinity=18 schedulerName=19 initContainers=20
  automountServiceAccountToken=21! tolerations=22 hostAliases=23 priorityClassName=24 priority=25!
  dnsConfig=26 shareProcessNamespace=27! readinessGates=28 runtimeClassName=29!
  enableServiceLinks=30! preemptionPolicy=31! overhead=32 topologySpreadConstraints=33
  ephemeralContainers=34 setHostnameAsFQDN=35! os=36 hostUsers=37! schedulingGates=38
  resourceClaims=39 resources=40 hostnameOverride=41! schedulingGroup=43
Affinity: nodeAffinity=1 podAffinity=2 podAntiAffinity=3
NodeAffinity: requiredDuringSchedulingIgnoredDuringExecution=1
  preferredDuringSchedulingIgnoredDuringExecution=2
PreferredSchedulingTerm: weight=1! preference=2
PodAffinity: requiredDuringSchedulingIgnoredDuringExecution=1
  preferredDuringSchedulingIgnoredDuringExecution=2
WeightedPodAffinityTerm: weight=1! podAffinityTerm=2
PodAffinityTerm: labelSelector=1 namespaces=2 topologyKey=3! namespaceSelector=4 matchLabelKeys=5
  mismatchLabelKeys=6
PodAntiAffinity: requiredDuringSchedulingIgnoredDuringExecution=1
  preferredDuringSchedulingIgnoredDuringExecution=2
Container: name=1! image=2 command=3 args=4 workingDir=5 ports=6 env=7 resources=8 volumeMounts=9
  livenessProbe=10 readinessProbe=11 lifecycle=12 terminationMessagePath=13 imagePullPolicy=14
  securityContext=15 stdin=16 stdinOnce=17 tty=18 envFrom=19 terminationMessagePolicy=20
  volumeDevices=21 startupProbe=22 resizePolicy=23 restartPolicy=24! restartPolicyRules=25
EnvVar: name=1! value=2 valueFrom=3
EnvVarSource: fieldRef=1 resourceFieldRef=2 configMapKeyRef=3 secretKeyRef=4 fileKeyRef=5
ConfigMapKeySelector: @LocalObjectReference=1 key=2! optional=3!
FileKeySelector: volumeName=1! path=2! key=3! optional=4!
SecretKeySelector: @LocalObjectReference=1 key=2! optional=3!
EnvFromSource: prefix=1 configMapRef=2 secretRef=3
ConfigMapEnvSource: @LocalObjectReference=1 optional=2!
SecretEnvSource: @LocalObjectReference=1 optional=2!
Lifecycle: postStart=1 preStop=2 stopSignal=3!
LifecycleHandler: exec=1 httpGet=2 tcpSocket=3 sleep=4
ExecAction: command=1
HTTPGetAction: path=1 port=2! host=3 scheme=4 httpHeaders=5
HTTPHeader: name=1! value=2!
SleepAction: seconds=1!
TCPSocketAction: port=1! host=2
Probe: @ProbeHandler=1 initialDelaySeconds=2 timeoutSeconds=3 periodSeconds=4 successThreshold=5
  failureThreshold=6 terminationGracePeriodSeconds=7!
ProbeHandler: exec=1 httpGet=2 tcpSocket=3 grpc=4
GRPCAction: port=1! service=2!
ContainerPort: name=1 hostPort=2 containerPort=3! protocol=4 hostIP=5
ContainerResizePolicy: resourceName=1! restartPolicy=2!
ResourceRequirements: limits=1 requests=2 claims=3
CoreV1ResourceClaim: name=1! request=2
ContainerRestartRule: action=1 exitCodes=2
ContainerRestartRuleOnExitCodes: operator=1 values=2
SecurityContext: capabilities=1 privileged=2! seLinuxOptions=3 runAsUser=4! runAsNonRoot=5!
  readOnlyRootFilesystem=6! allowPrivilegeEscalation=7! runAsGroup=8! procMount=9! windowsOptions=10
  seccompProfile=11 appArmorProfile=12
AppArmorProfile: type=1! localhostProfile=2!
Capabilities: add=1 drop=2
SELinuxOptions: user=1 role=2 type=3 level=4
SeccompProfile: type=1! localhostProfile=2!
WindowsSecurityContextOptions: gmsaCredentialSpecName=1! gmsaCredentialSpec=2! runAsUserName=3!
  hostProcess=4!
VolumeDevice: name=1! devicePath=2!
VolumeMount: name=1! readOnly=2 mountPath=3! subPath=4 mountPropagation=5! subPathExpr=6
  recursiveReadOnly=7!
PodDNSConfig: nameservers=1 searches=2 options=3
PodDNSConfigOption: name=1 value=2!
EphemeralContainer: @Container=1 targetContainerName=2
HostAlias: ip=1! hostnames=2
PodOS: name=1!
PodReadinessGate: conditionType=1!
PodResourceClaim: name=1! resourceClaimName=3! resourceClaimTemplateName=4!
PodSchedulingGate: name=1!
PodSchedulingGroup: podGroupName=1!
PodSecurityContext: seLinuxOptions=1 runAsUser=2! runAsNonRoot=3! supplementalGroups=4 fsGroup=5!
  runAsGroup=6! sysctls=7 windowsOptions=8 fsGroupChangePolicy=9! seccompProfile=10
  appArmorProfile=11 supplementalGroupsPolicy=12! seLinuxChangePolicy=13!
Sysctl: name=1! value=2!
Toleration: key=1 operator=2 value=3 effect=4 tolerationSeconds=5!
TopologySpreadConstraint: maxSkew=1! topologyKey=2! whenUnsatisfiable=3! labelSelector=4
  minDomains=5! nodeAffinityPolicy=6! nodeTaintsPolicy=7! matchLabelKeys=8
PodStatus: phase=1 conditions=2 message=3 reason=4 hostIP=5 podIP=6 startTime=7 containerStatuses=8
  qosClass=9 initContainerStatuses=10 nominatedNodeName=11 podIPs=12 ephemeralContainerStatuses=13
  resize=14 resourceClaimStatuses=15 hostIPs=16 observedGeneration=17 extendedResourceClaimStatus=18
  allocatedResources=19 resources=20 nodeAllocatableResourceClaimStatuses=21
PodCondition: type=1! status=2! lastProbeTime=3 lastTransitionTime=4 reason=5 message=6
  observedGeneration=7
ContainerStatus: name=1! state=2 lastState=3 ready=4! restartCount=5! image=6! imageID=7!
  containerID=8 started=9! allocatedResources=10 resources=11 volumeMounts=12 user=13
  allocatedResourcesStatus=14 stopSignal=15!
ResourceStatus: name=1! resources=2
ResourceHealth: resourceID=1! health=2 message=6!
ContainerState: waiting=1 running=2 terminated=3
ContainerStateRunning: startedAt=1
ContainerStateTerminated: exitCode=1! signal=2 reason=3 message=4 startedAt=5 finishedAt=6
  containerID=7
ContainerStateWaiting: reason=1 message=2
ContainerUser: linux=1
LinuxContainerUser: uid=1! gid=2! supplementalGroups=3
VolumeMountStatus: name=1! mountPath=2! readOnly=3 recursiveReadOnly=4! volumeStatus=5
VolumeStatus: image=1
ImageVolumeStatus: imageRef=1
PodExtendedResourceClaimStatus: requestMappings=1 resourceClaimName=2!
ContainerExtendedResourceRequest: containerName=1! resourceName=2! requestName=3!
HostIP: ip=1!
NodeAllocatableResourceClaimStatus: resourceClaimName=1! containers=2 resources=3
PodIP: ip=1!
PodResourceClaimStatus: name=1! resourceClaimName=2!
PodTemplate: metadata=1 template=2
PodTemplateSpec: metadata=1 spec=2
Binding: metadata=1 target=2
Eviction: metadata=1 deleteOptions=2
`
