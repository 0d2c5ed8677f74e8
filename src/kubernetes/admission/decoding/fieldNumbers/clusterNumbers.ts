/**
 * Protobuf field numbers; `!`: no `omitempty` in JSON; `@`: inlined in JSON.
 *
 * Source: generated.proto of k8s.io/api/{coordination,core,discovery,events,networking}/v1.
 */
export const clusterNumbers = `
Namespace: metadata=1 spec=2 status=3
NamespaceSpec: finalizers=1
NamespaceStatus: phase=1 conditions=2
NamespaceCondition: type=1! status=2! lastTransitionTime=4 reason=5 message=6
Node: metadata=1 spec=2 status=3
NodeSpec: podCIDR=1 externalID=2 providerID=3 unschedulable=4 taints=5 configSource=6 podCIDRs=7
NodeConfigSource: configMap=2
ConfigMapNodeConfigSource: namespace=1! name=2! uid=3 resourceVersion=4 kubeletConfigKey=5!
Taint: key=1! value=2 effect=3! timeAdded=4
NodeStatus: capacity=1 allocatable=2 phase=3 conditions=4 addresses=5 daemonEndpoints=6 nodeInfo=7
  images=8 volumesInUse=9 volumesAttached=10 config=11 runtimeHandlers=12 features=13
  declaredFeatures=14
NodeAddress: type=1! address=2!
NodeCondition: type=1! status=2! lastHeartbeatTime=3 lastTransitionTime=4 reason=5 message=6
NodeConfigStatus: assigned=1 active=2 lastKnownGood=3 error=4
NodeDaemonEndpoints: kubeletEndpoint=1
DaemonEndpoint: Port=1!
NodeFeatures: supplementalGroupsPolicy=1!
ContainerImage: names=1 sizeBytes=2
NodeSystemInfo: machineID=1! systemUUID=2! bootID=3! kernelVersion=4! osImage=5!
  containerRuntimeVersion=6! kubeletVersion=7! kubeProxyVersion=8! operatingSystem=9!
  architecture=10! swap=11
NodeSwapStatus: capacity=1!
NodeRuntimeHandler: name=1! features=2
NodeRuntimeHandlerFeatures: recursiveReadOnlyMounts=1! userNamespaces=2!
AttachedVolume: name=1! devicePath=2!
ConfigMap: metadata=1 data=2 binaryData=3 immutable=4!
Secret: metadata=1 data=2 type=3 stringData=4 immutable=5!
ServiceAccount: metadata=1 secrets=2 imagePullSecrets=3 automountServiceAccountToken=4!
ResourceQuota: metadata=1 spec=2 status=3
ResourceQuotaSpec: hard=1 scopes=2 scopeSelector=3
ScopeSelector: matchExpressions=1
ScopedResourceSelectorRequirement: scopeName=1! operator=2! values=3
ResourceQuotaStatus: hard=1 used=2
LimitRange: metadata=1 spec=2
LimitRangeSpec: limits=1
LimitRangeItem: type=1! max=2 min=3 default=4 defaultRequest=5 maxLimitRequestRatio=6
CoreV1Event: metadata=1 involvedObject=2 reason=3 message=4 source=5 firstTimestamp=6
  lastTimestamp=7 count=8 type=9 eventTime=10 series=11 action=12 related=13 reportingComponent=14!
  reportingInstance=15!
CoreV1EventSeries: count=1 lastObservedTime=2
EventSource: component=1 host=2
EventsV1Event: metadata=1 eventTime=2 series=3 reportingController=4 reportingInstance=5 action=6
  reason=7 regarding=8 related=9 note=10 type=11 deprecatedSource=12 deprecatedFirstTimestamp=13
  deprecatedLastTimestamp=14 deprecatedCount=15
EventsV1EventSeries: count=1! lastObservedTime=2
Lease: metadata=1 spec=2
LeaseSpec: holderIdentity=1! leaseDurationSeconds=2! acquireTime=3 renewTime=4 leaseTransitions=5!
  strategy=6! preferredHolder=7!
Service: metadata=1 spec=2 status=3
ServiceSpec: ports=1 selector=2 clusterIP=3 type=4 externalIPs=5 sessionAffinity=7 loadBalancerIP=8
  loadBalancerSourceRanges=9 externalName=10 externalTrafficPolicy=11 healthCheckNodePort=12
  publishNotReadyAddresses=13 sessionAffinityConfig=14 ipFamilyPolicy=17! clusterIPs=18
  ipFamilies=19 allocateLoadBalancerNodePorts=20! loadBalancerClass=21! internalTrafficPolicy=22!
  trafficDistribution=23!
ServicePort: name=1 protocol=2 port=3! targetPort=4! nodePort=5 appProtocol=6!
SessionAffinityConfig: clientIP=1
ClientIPConfig: timeoutSeconds=1!
ServiceStatus: loadBalancer=1 conditions=2
LoadBalancerStatus: ingress=1
LoadBalancerIngress: ip=1 hostname=2 ipMode=3! ports=4
PortStatus: port=1! protocol=2! error=3!
Endpoints: metadata=1 subsets=2
EndpointSubset: addresses=1 notReadyAddresses=2 ports=3
EndpointAddress: ip=1! targetRef=2 hostname=3 nodeName=4!
CoreV1EndpointPort: name=1 port=2! protocol=3 appProtocol=4!
EndpointSlice: metadata=1 endpoints=2 ports=3 addressType=4!
Endpoint: addresses=1 conditions=2 hostname=3! targetRef=4 deprecatedTopology=5 nodeName=6! zone=7!
  hints=8
EndpointConditions: ready=1! serving=2! terminating=3!
EndpointHints: forZones=1 forNodes=2
ForNode: name=1!
ForZone: name=1!
DiscoveryV1EndpointPort: name=1! protocol=2! port=3! appProtocol=4!
Ingress: metadata=1 spec=2 status=3
IngressSpec: defaultBackend=1 tls=2 rules=3 ingressClassName=4!
IngressBackend: resource=3 service=4
IngressServiceBackend: name=1! port=2
ServiceBackendPort: name=1 number=2
IngressRule: host=1 @IngressRuleValue=2
IngressRuleValue: http=1
HTTPIngressRuleValue: paths=1
HTTPIngressPath: path=1 backend=2 pathType=3!
IngressTLS: hosts=1 secretName=2
IngressStatus: loadBalancer=1
IngressLoadBalancerStatus: ingress=1
IngressLoadBalancerIngress: ip=1 hostname=2 ports=4
IngressPortStatus: port=1! protocol=2! error=3!
IngressClass: metadata=1 spec=2
IngressClassSpec: controller=1 parameters=2
IngressClassParametersReference: apiGroup=1! kind=2! name=3! scope=4! namespace=5!
NetworkPolicy: metadata=1 spec=2
NetworkPolicySpec: podSelector=1 ingress=2 egress=3 policyTypes=4
NetworkPolicyEgressRule: ports=1 to=2
NetworkPolicyPort: protocol=1! port=2! endPort=3!
NetworkPolicyPeer: podSelector=1 namespaceSelector=2 ipBlock=3
IPBlock: cidr=1! except=2
NetworkPolicyIngressRule: ports=1 from=2
`
