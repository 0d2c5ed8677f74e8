/**
 * Protobuf field numbers; `!`: no `omitempty` in JSON; `@`: inlined in JSON. Fields
 * whose feature gate is off by default have no number.
 *
 * Source: generated.proto of k8s.io/api/{networking,node,resource,storage}/v1.
 */
export const deviceNumbers = `
AllocatedDeviceStatus: driver=1! pool=2! device=3! conditions=4 data=5 networkData=6 shareID=7!
AllocationResult: devices=1 nodeSelector=3 allocationTimestamp=5
CELDeviceSelector: expression=1!
CapacityRequestPolicy: default=1 validValues=3 validRange=4
CapacityRequestPolicyRange: min=1 max=2 step=3
CapacityRequirements: requests=1
Counter: value=1
CounterSet: name=1! counters=2
Device: name=1! attributes=2 capacity=3 consumesCounters=4 nodeName=5! nodeSelector=6 allNodes=7! taints=8
  bindsToNode=9! bindingConditions=10 bindingFailureConditions=11 allowMultipleAllocations=12!
DeviceAllocationConfiguration: source=1! requests=2 @DeviceConfiguration=3
DeviceAllocationResult: results=1 config=2
DeviceAttribute: int=2! bool=3! string=4! version=5!
DeviceCapacity: value=1 requestPolicy=2
DeviceClaim: requests=1 constraints=2 config=3
DeviceClaimConfiguration: requests=1 @DeviceConfiguration=2
DeviceClass: metadata=1 spec=2
DeviceClassConfiguration: @DeviceConfiguration=1
DeviceClassSpec: selectors=1 config=2 extendedResourceName=4!
DeviceConfiguration: opaque=1
DeviceConstraint: requests=1 matchAttribute=2! distinctAttribute=3!
DeviceCounterConsumption: counterSet=1! counters=2
DeviceRequest: name=1! exactly=2 firstAvailable=3
DeviceRequestAllocationResult: request=1! driver=2! pool=3! device=4! adminAccess=5! tolerations=6
  bindingConditions=7 bindingFailureConditions=8 shareID=9! consumedCapacity=10
DeviceSelector: cel=1
DeviceSubRequest: name=1! deviceClassName=2! selectors=3 allocationMode=4 count=5 tolerations=6 capacity=7
DeviceTaint: key=1! value=2 effect=3! timeAdded=4
DeviceToleration: key=1 operator=2 value=3 effect=4 tolerationSeconds=5!
ExactDeviceRequest: deviceClassName=1! selectors=2 allocationMode=3 count=4 adminAccess=5! tolerations=6
  capacity=7
NetworkDeviceData: interfaceName=1 ips=2 hardwareAddress=3
OpaqueDeviceConfiguration: driver=1! parameters=2
ResourceV1ResourceClaim: metadata=1 spec=2 status=3
ResourceClaimConsumerReference: apiGroup=1 resource=3! name=4! uid=5!
ResourceClaimSpec: devices=1
ResourceClaimStatus: allocation=1 reservedFor=2 devices=4
ResourceClaimTemplate: metadata=1 spec=2
ResourceClaimTemplateSpec: metadata=1 spec=2
ResourcePool: name=1! generation=2! resourceSliceCount=3!
ResourceSlice: metadata=1 spec=2
ResourceSliceSpec: driver=1! pool=2 nodeName=3! nodeSelector=4 allNodes=5! devices=6
  perDeviceNodeSelection=7! sharedCounters=8
CSIDriver: metadata=1 spec=2
CSIDriverSpec: attachRequired=1! podInfoOnMount=2! volumeLifecycleModes=3 storageCapacity=4!
  fsGroupPolicy=5! tokenRequests=6 requiresRepublish=7! seLinuxMount=8!
  nodeAllocatableUpdatePeriodSeconds=9! serviceAccountTokenInSecrets=10!
CSINode: metadata=1 spec=2
CSINodeDriver: name=1! nodeID=2! topologyKeys=3 allocatable=4
CSINodeSpec: drivers=1
CSIStorageCapacity: metadata=1 nodeTopology=2 storageClassName=3! capacity=4 maximumVolumeSize=5
StorageV1TokenRequest: audience=1! expirationSeconds=2!
VolumeAttachment: metadata=1 spec=2 status=3
VolumeAttachmentSource: persistentVolumeName=1! inlineVolumeSpec=2
VolumeAttachmentSpec: attacher=1! source=2 nodeName=3!
VolumeAttachmentStatus: attached=1! attachmentMetadata=2 attachError=3 detachError=4
VolumeAttributesClass: metadata=1 driverName=2! parameters=3
VolumeError: time=1 message=2 errorCode=3!
VolumeNodeResources: count=1!
RuntimeClass: metadata=1 handler=2! overhead=3 scheduling=4
Overhead: podFixed=1
Scheduling: nodeSelector=1 tolerations=2
IPAddress: metadata=1 spec=2
IPAddressSpec: parentRef=1
ParentReference: group=1 resource=2 namespace=3 name=4
ServiceCIDR: metadata=1 spec=2 status=3
ServiceCIDRSpec: cidrs=1
ServiceCIDRStatus: conditions=1
`
