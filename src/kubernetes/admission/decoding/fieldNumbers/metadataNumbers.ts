/**
 * Protobuf field numbers; `!`: no `omitempty` in JSON; `@`: inlined in JSON.
 *
 * Source: generated.proto of k8s.io/apimachinery/pkg/apis/meta/v1, k8s.io/api/core/v1.
 */
export const metadataNumbers = `
ObjectMeta: name=1 generateName=2 namespace=3 selfLink=4 uid=5 resourceVersion=6 generation=7
  creationTimestamp=8 deletionTimestamp=9 deletionGracePeriodSeconds=10! labels=11 annotations=12
  ownerReferences=13 finalizers=14 managedFields=17
ManagedFieldsEntry: manager=1 operation=2 apiVersion=3 time=4 fieldsType=6 fieldsV1=7 subresource=8
OwnerReference: kind=1! name=3! uid=4! apiVersion=5! controller=6! blockOwnerDeletion=7!
LabelSelector: matchLabels=1 matchExpressions=2
LabelSelectorRequirement: key=1! operator=2! values=3
DeleteOptions: gracePeriodSeconds=1! preconditions=2 orphanDependents=3! propagationPolicy=4!
  dryRun=5 ignoreStoreReadErrorWithClusterBreakingPotential=6!
Preconditions: uid=1! resourceVersion=2!
Condition: type=1! status=2! observedGeneration=3 lastTransitionTime=4 reason=5! message=6!
Scale: metadata=1 spec=2 status=3
ScaleSpec: replicas=1
ScaleStatus: replicas=1! selector=2
ObjectReference: kind=1 namespace=2 name=3 uid=4 apiVersion=5 resourceVersion=6 fieldPath=7
LocalObjectReference: name=1
TypedLocalObjectReference: apiGroup=1! kind=2! name=3!
SecretReference: name=1 namespace=2
NodeSelector: nodeSelectorTerms=1
NodeSelectorTerm: matchExpressions=1 matchFields=2
NodeSelectorRequirement: key=1! operator=2! values=3
VolumeResourceRequirements: limits=1 requests=2
`
