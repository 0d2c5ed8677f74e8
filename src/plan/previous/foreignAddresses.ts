import { fieldsOrEmpty } from "../../kubernetes/meta/fields.ts"
import { isOfResource } from "../documentKeys.ts"
import { isServiceAddress } from "../../store/indexes/serviceAddresses.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import type { Fields } from "../../kubernetes/meta/fields.ts"
import type { ManifestDocument } from "../../manifests/manifestDocument.ts"

/** Drops a Service's address that belongs to the range of another cluster: the simulated one assigns its own. */
export const withoutForeignAddress = (document: ManifestDocument): ManifestDocument => {
  if (!isOfResource(resources.services)(document)) return document
  const spec = fieldsOrEmpty(document.rawFields["spec"])
  const { clusterIP } = spec
  if (typeof clusterIP !== "string" || !isAddress(clusterIP) || isServiceAddress(clusterIP)) return document
  return {
    ...document,
    draft: Object.assign({}, document.draft, {
      spec: withoutAddress(fieldsOrEmpty((document.draft as object as Fields)["spec"]))
    }),
    rawFields: { ...document.rawFields, spec: withoutAddress(spec) }
  }
}

const isAddress = (text: string): boolean => /^[\d.]+$|:/u.test(text)

const withoutAddress = ({ clusterIP: _ip, clusterIPs: _ips, ...spec }: Fields): Fields => spec
