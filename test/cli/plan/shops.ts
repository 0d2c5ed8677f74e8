export const shopDefinition = (more = ""): string => `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: shops.example.com }
spec:
  group: example.com
  scope: Namespaced
  names: { plural: shops, kind: Shop${more} }
  versions: [{ name: v1, served: true, storage: true, schema: { openAPIV3Schema: { type: object } } }]`
export const shop = "{ apiVersion: example.com/v1, kind: Shop, metadata: { name: one } }"
