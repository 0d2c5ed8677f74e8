/**
 * Protobuf field numbers; `!`: no `omitempty` in JSON; `@`: inlined in JSON.
 *
 * Source: generated.proto of k8s.io/api/core/v1, k8s.io/api/storage/v1.
 */
export const volumeNumbers = `
Volume: name=1! @VolumeSource=2
VolumeSource: hostPath=1 emptyDir=2 gcePersistentDisk=3 awsElasticBlockStore=4 gitRepo=5 secret=6
  nfs=7 iscsi=8 glusterfs=9 persistentVolumeClaim=10 rbd=11 flexVolume=12 cinder=13 cephfs=14
  flocker=15 downwardAPI=16 fc=17 azureFile=18 configMap=19 vsphereVolume=20 quobyte=21 azureDisk=22
  photonPersistentDisk=23 portworxVolume=24 scaleIO=25 projected=26 storageos=27 csi=28 ephemeral=29
  image=30
AWSElasticBlockStoreVolumeSource: volumeID=1! fsType=2 partition=3 readOnly=4
AzureDiskVolumeSource: diskName=1! diskURI=2! cachingMode=3! fsType=4! readOnly=5! kind=6!
AzureFileVolumeSource: secretName=1! shareName=2! readOnly=3
CephFSVolumeSource: monitors=1 path=2 user=3 secretFile=4 secretRef=5 readOnly=6
CinderVolumeSource: volumeID=1! fsType=2 readOnly=3 secretRef=4
ConfigMapVolumeSource: @LocalObjectReference=1 items=2 defaultMode=3! optional=4!
KeyToPath: key=1! path=2! mode=3!
CSIVolumeSource: driver=1! readOnly=2! fsType=3! volumeAttributes=4 nodePublishSecretRef=5
DownwardAPIVolumeSource: items=1 defaultMode=2!
DownwardAPIVolumeFile: path=1! fieldRef=2 resourceFieldRef=3 mode=4!
ObjectFieldSelector: apiVersion=1 fieldPath=2!
ResourceFieldSelector: containerName=1 resource=2! divisor=3
EmptyDirVolumeSource: medium=1 sizeLimit=2
EphemeralVolumeSource: volumeClaimTemplate=1
PersistentVolumeClaimTemplate: metadata=1 spec=2
PersistentVolumeClaimSpec: accessModes=1 resources=2 volumeName=3 selector=4 storageClassName=5!
  volumeMode=6! dataSource=7 dataSourceRef=8 volumeAttributesClassName=9!
TypedObjectReference: apiGroup=1! kind=2! name=3! namespace=4!
FCVolumeSource: targetWWNs=1 lun=2! fsType=3 readOnly=4 wwids=5
FlexVolumeSource: driver=1! fsType=2 secretRef=3 readOnly=4 options=5
FlockerVolumeSource: datasetName=1 datasetUUID=2
GCEPersistentDiskVolumeSource: pdName=1! fsType=2 partition=3 readOnly=4
GitRepoVolumeSource: repository=1! revision=2 directory=3
GlusterfsVolumeSource: endpoints=1! path=2! readOnly=3
HostPathVolumeSource: path=1! type=2!
ImageVolumeSource: reference=1 pullPolicy=2
ISCSIVolumeSource: targetPortal=1! iqn=2! lun=3! iscsiInterface=4 fsType=5 readOnly=6 portals=7
  chapAuthDiscovery=8 secretRef=10 chapAuthSession=11 initiatorName=12!
NFSVolumeSource: server=1! path=2! readOnly=3
PersistentVolumeClaimVolumeSource: claimName=1! readOnly=2
PhotonPersistentDiskVolumeSource: pdID=1! fsType=2
PortworxVolumeSource: volumeID=1! fsType=2 readOnly=3
ProjectedVolumeSource: sources=1 defaultMode=2!
VolumeProjection: secret=1 downwardAPI=2 configMap=3 serviceAccountToken=4 clusterTrustBundle=5
  podCertificate=6
ClusterTrustBundleProjection: name=1! signerName=2! labelSelector=3 path=4! optional=5!
ConfigMapProjection: @LocalObjectReference=1 items=2 optional=4!
DownwardAPIProjection: items=1
PodCertificateProjection: signerName=1 keyType=2 maxExpirationSeconds=3! credentialBundlePath=4
  keyPath=5 certificateChainPath=6 userAnnotations=7
SecretProjection: @LocalObjectReference=1 items=2 optional=4!
ServiceAccountTokenProjection: audience=1 expirationSeconds=2! path=3!
QuobyteVolumeSource: registry=1! volume=2! readOnly=3 user=4 group=5 tenant=6
RBDVolumeSource: monitors=1 image=2! fsType=3 pool=4 user=5 keyring=6 secretRef=7 readOnly=8
ScaleIOVolumeSource: gateway=1! system=2! secretRef=3 sslEnabled=4 protectionDomain=5 storagePool=6
  storageMode=7 volumeName=8 fsType=9 readOnly=10
SecretVolumeSource: secretName=1 items=2 defaultMode=3! optional=4!
StorageOSVolumeSource: volumeName=1 volumeNamespace=2 fsType=3 readOnly=4 secretRef=5
VsphereVirtualDiskVolumeSource: volumePath=1! fsType=2 storagePolicyName=3 storagePolicyID=4
PersistentVolume: metadata=1 spec=2 status=3
PersistentVolumeSpec: capacity=1 @PersistentVolumeSource=2 accessModes=3 claimRef=4
  persistentVolumeReclaimPolicy=5 storageClassName=6 mountOptions=7 volumeMode=8! nodeAffinity=9
  volumeAttributesClassName=10!
PersistentVolumeSource: gcePersistentDisk=1 awsElasticBlockStore=2 hostPath=3 glusterfs=4 nfs=5
  rbd=6 iscsi=7 cinder=8 cephfs=9 fc=10 flocker=11 flexVolume=12 azureFile=13 vsphereVolume=14
  quobyte=15 azureDisk=16 photonPersistentDisk=17 portworxVolume=18 scaleIO=19 local=20 storageos=21
  csi=22
AzureFilePersistentVolumeSource: secretName=1! shareName=2! readOnly=3 secretNamespace=4!
CephFSPersistentVolumeSource: monitors=1 path=2 user=3 secretFile=4 secretRef=5 readOnly=6
CinderPersistentVolumeSource: volumeID=1! fsType=2 readOnly=3 secretRef=4
CSIPersistentVolumeSource: driver=1! volumeHandle=2! readOnly=3 fsType=4 volumeAttributes=5
  controllerPublishSecretRef=6 nodeStageSecretRef=7 nodePublishSecretRef=8
  controllerExpandSecretRef=9 nodeExpandSecretRef=10
FlexPersistentVolumeSource: driver=1! fsType=2 secretRef=3 readOnly=4 options=5
GlusterfsPersistentVolumeSource: endpoints=1! path=2! readOnly=3 endpointsNamespace=4!
ISCSIPersistentVolumeSource: targetPortal=1! iqn=2! lun=3! iscsiInterface=4 fsType=5 readOnly=6
  portals=7 chapAuthDiscovery=8 secretRef=10 chapAuthSession=11 initiatorName=12!
LocalVolumeSource: path=1! fsType=2!
VolumeNodeAffinity: required=1
RBDPersistentVolumeSource: monitors=1 image=2! fsType=3 pool=4 user=5 keyring=6 secretRef=7
  readOnly=8
ScaleIOPersistentVolumeSource: gateway=1! system=2! secretRef=3 sslEnabled=4 protectionDomain=5
  storagePool=6 storageMode=7 volumeName=8 fsType=9 readOnly=10
StorageOSPersistentVolumeSource: volumeName=1 volumeNamespace=2 fsType=3 readOnly=4 secretRef=5
PersistentVolumeStatus: phase=1 message=2 reason=3 lastPhaseTransitionTime=4
PersistentVolumeClaim: metadata=1 spec=2 status=3
PersistentVolumeClaimStatus: phase=1 accessModes=2 capacity=3 conditions=4 allocatedResources=5
  allocatedResourceStatuses=7 currentVolumeAttributesClassName=8! modifyVolumeStatus=9
PersistentVolumeClaimCondition: type=1! status=2! lastProbeTime=3 lastTransitionTime=4 reason=5
  message=6
ModifyVolumeStatus: targetVolumeAttributesClassName=1 status=2!
StorageClass: metadata=1 provisioner=2! parameters=3 reclaimPolicy=4! mountOptions=5
  allowVolumeExpansion=6! volumeBindingMode=7! allowedTopologies=8
TopologySelectorTerm: matchLabelExpressions=1
TopologySelectorLabelRequirement: key=1! values=2
`
