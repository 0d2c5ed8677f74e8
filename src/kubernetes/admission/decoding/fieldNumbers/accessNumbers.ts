/**
 * Protobuf field numbers; `!`: no `omitempty` in JSON; `@`: inlined in JSON.
 *
 * Source: generated.proto of k8s.io/api/{authentication,authorization,certificates,rbac}/v1.
 */
export const accessNumbers = `
AggregationRule: clusterRoleSelectors=1
CertificateSigningRequest: metadata=1 spec=2 status=3
CertificateSigningRequestSpec: request=1! username=2 uid=3 groups=4 usages=5 extra=6 signerName=7!
  expirationSeconds=8!
CertificateSigningRequestStatus: conditions=1 certificate=2
CertificateSigningRequestCondition: type=1! reason=2 message=3 lastUpdateTime=4 lastTransitionTime=5
  status=6!
ClusterRole: metadata=1 rules=2 aggregationRule=3
PolicyRule: verbs=1 apiGroups=2 resources=3 resourceNames=4 nonResourceURLs=5
ClusterRoleBinding: metadata=1 subjects=2 roleRef=3
RoleRef: apiGroup=1! kind=2! name=3!
RbacV1Subject: kind=1! apiGroup=2 name=3! namespace=4
FieldSelectorAttributes: rawSelector=1 requirements=2
FieldSelectorRequirement: key=1! operator=2! values=3
LabelSelectorAttributes: rawSelector=1 requirements=2
LocalSubjectAccessReview: metadata=1 spec=2 status=3
SubjectAccessReviewSpec: resourceAttributes=1 nonResourceAttributes=2 user=3 groups=4 extra=5 uid=6
NonResourceAttributes: path=1 verb=2
ResourceAttributes: namespace=1 verb=2 group=3 version=4 resource=5 subresource=6 name=7
  fieldSelector=8 labelSelector=9
SubjectAccessReviewStatus: allowed=1! reason=2 evaluationError=3 denied=4
NonResourceRule: verbs=1 nonResourceURLs=2
ResourceRule: verbs=1 apiGroups=2 resources=3 resourceNames=4
Role: metadata=1 rules=2
RoleBinding: metadata=1 subjects=2 roleRef=3
SelfSubjectAccessReview: metadata=1 spec=2 status=3
SelfSubjectAccessReviewSpec: resourceAttributes=1 nonResourceAttributes=2
SelfSubjectReview: metadata=1 status=2
SelfSubjectReviewStatus: userInfo=1
UserInfo: username=1 uid=2 groups=3 extra=4
SelfSubjectRulesReview: metadata=1 spec=2 status=3
SelfSubjectRulesReviewSpec: namespace=1
SubjectRulesReviewStatus: resourceRules=1 nonResourceRules=2 incomplete=3! evaluationError=4
SubjectAccessReview: metadata=1 spec=2 status=3
AuthenticationV1TokenRequest: metadata=1 spec=2 status=3
TokenRequestSpec: audiences=1 expirationSeconds=4! boundObjectRef=3
TokenRequestStatus: token=1! expirationTimestamp=2!
BoundObjectReference: kind=1 apiVersion=2 name=3 uid=4
TokenReview: metadata=1 spec=2 status=3
TokenReviewSpec: token=1 audiences=2
TokenReviewStatus: authenticated=1 user=2 error=3 audiences=4
`
