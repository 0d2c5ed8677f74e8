/**
 * Protobuf field numbers; `!`: no `omitempty` in JSON; `@`: inlined in JSON.
 *
 * Source: generated.proto of k8s.io/api/{admissionregistration,core,flowcontrol}/v1 and of
 * k8s.io/kube-aggregator/pkg/apis/apiregistration/v1.
 */
export const extensionNumbers = `
AdmissionregistrationV1ServiceReference: namespace=1! name=2! path=3! port=4!
AdmissionregistrationV1WebhookClientConfig: service=1 caBundle=2 url=3!
ApplyConfiguration: expression=1
AuditAnnotation: key=1! valueExpression=2!
ExpressionWarning: fieldRef=2! warning=3!
JSONPatch: expression=1
MatchCondition: name=1! expression=2!
MatchResources: namespaceSelector=1 objectSelector=2 resourceRules=3 excludeResourceRules=4 matchPolicy=7!
MutatingAdmissionPolicy: metadata=1 spec=2
MutatingAdmissionPolicyBinding: metadata=1 spec=2
MutatingAdmissionPolicyBindingSpec: policyName=1 paramRef=2 matchResources=3
MutatingAdmissionPolicySpec: paramKind=1 matchConstraints=2 variables=3 mutations=4 failurePolicy=5!
  matchConditions=6 reinvocationPolicy=7
MutatingWebhook: name=1! clientConfig=2 rules=3 failurePolicy=4! namespaceSelector=5 sideEffects=6!
  timeoutSeconds=7! admissionReviewVersions=8 matchPolicy=9! reinvocationPolicy=10! objectSelector=11
  matchConditions=12
MutatingWebhookConfiguration: metadata=1 webhooks=2
Mutation: patchType=2! applyConfiguration=3 jsonPatch=4
NamedRuleWithOperations: resourceNames=1 @RuleWithOperations=2
ParamKind: apiVersion=1 kind=2
ParamRef: name=1 namespace=2 selector=3 parameterNotFoundAction=4!
Rule: apiGroups=1 apiVersions=2 resources=3 scope=4!
RuleWithOperations: operations=1 @Rule=2
TypeChecking: expressionWarnings=1
ValidatingAdmissionPolicy: metadata=1 spec=2 status=3
ValidatingAdmissionPolicyBinding: metadata=1 spec=2
ValidatingAdmissionPolicyBindingSpec: policyName=1 paramRef=2 matchResources=3 validationActions=4
ValidatingAdmissionPolicySpec: paramKind=1 matchConstraints=2 validations=3 failurePolicy=4!
  auditAnnotations=5 matchConditions=6 variables=7
ValidatingAdmissionPolicyStatus: observedGeneration=1 typeChecking=2 conditions=3
ValidatingWebhook: name=1! clientConfig=2 rules=3 failurePolicy=4! namespaceSelector=5 sideEffects=6!
  timeoutSeconds=7! admissionReviewVersions=8 matchPolicy=9! objectSelector=10 matchConditions=11
ValidatingWebhookConfiguration: metadata=1 webhooks=2
Validation: expression=1! message=2 reason=3! messageExpression=4
Variable: name=1! expression=2!
APIService: metadata=1 spec=2 status=3
APIServiceCondition: type=1! status=2! lastTransitionTime=3 reason=4 message=5
APIServiceSpec: service=1 group=2 version=3 insecureSkipTLSVerify=4 caBundle=5 groupPriorityMinimum=7!
  versionPriority=8!
APIServiceStatus: conditions=1
ApiregistrationV1ServiceReference: namespace=1 name=2 port=3!
ExemptPriorityLevelConfiguration: nominalConcurrencyShares=1! lendablePercent=2!
FlowDistinguisherMethod: type=1!
FlowSchema: metadata=1 spec=2 status=3
FlowSchemaCondition: type=1 status=2 lastTransitionTime=3 reason=4 message=5
FlowSchemaSpec: priorityLevelConfiguration=1 matchingPrecedence=2! distinguisherMethod=3 rules=4
FlowSchemaStatus: conditions=1
FlowcontrolV1Subject: kind=1! user=2 group=3 serviceAccount=4
GroupSubject: name=1!
LimitResponse: type=1! queuing=2
LimitedPriorityLevelConfiguration: nominalConcurrencyShares=1! limitResponse=2 lendablePercent=3!
  borrowingLimitPercent=4!
NonResourcePolicyRule: verbs=1 nonResourceURLs=6
PolicyRulesWithSubjects: subjects=1 resourceRules=2 nonResourceRules=3
PriorityLevelConfiguration: metadata=1 spec=2 status=3
PriorityLevelConfigurationCondition: type=1 status=2 lastTransitionTime=3 reason=4 message=5
PriorityLevelConfigurationReference: name=1!
PriorityLevelConfigurationSpec: type=1! limited=2 exempt=3
PriorityLevelConfigurationStatus: conditions=1
QueuingConfiguration: queues=1! handSize=2! queueLengthLimit=3!
ResourcePolicyRule: verbs=1 apiGroups=2 resources=3 clusterScope=4 namespaces=5
ServiceAccountSubject: namespace=1! name=2!
UserSubject: name=1!
ComponentCondition: type=1! status=2! message=3 error=4
ComponentStatus: metadata=1 conditions=2
`
