import { documentId, isOfResource } from "../documentKeys.ts"
import { fieldsOrEmpty } from "../../kubernetes/meta/fields.ts"
import { isServiceAddress } from "../../store/indexes/serviceAddresses.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import type { Fields } from "../../kubernetes/meta/fields.ts"
import type { ManifestDocument } from "../../manifests/manifestDocument.ts"

type Documents = ReadonlyArray<ManifestDocument>

/**
 * Drops the addresses of Services in `from`, and addresses from the range of another cluster: the simulated cluster
 * assigns its own. An address that differs from that in `from` stays, so that the server refuses it.
 */
export const withoutForeignAddresses = ({
  from,
  next
}: {
  readonly from: Documents | undefined
  readonly next: Documents
}): { readonly from: Documents | undefined; readonly next: Documents } => {
  const addressesBefore = new Map(
    (from ?? []).flatMap((document) => {
      const address = addressOf(document)
      return address === undefined ? [] : [[documentId(document), address] as const]
    })
  )
  return {
    from: from?.map(withoutAddress),
    next: next.map((document) => {
      const before = addressesBefore.get(documentId(document))
      if (before === undefined) return withoutForeignAddress(document)
      return before === addressOf(document) ? withoutAddress(document) : document
    })
  }
}

const addressOf = (document: ManifestDocument): string | undefined => {
  if (!isOfResource(resources.services)(document)) return undefined
  const { clusterIP } = fieldsOrEmpty(document.rawFields["spec"])
  return typeof clusterIP === "string" && clusterIP !== "" ? clusterIP : undefined
}

const withoutForeignAddress = (document: ManifestDocument): ManifestDocument =>
  isServiceAddress(addressOf(document) ?? "") ? document : withoutAddress(document)

const withoutAddress = (document: ManifestDocument): ManifestDocument => {
  const address = addressOf(document)
  if (address === undefined || !isAddress(address)) return document
  return {
    ...document,
    draft: Object.assign({}, document.draft, {
      spec: withoutAddressFields(fieldsOrEmpty((document.draft as object as Fields)["spec"]))
    }),
    rawFields: {
      ...document.rawFields,
      spec: withoutAddressFields(fieldsOrEmpty(document.rawFields["spec"]))
    }
  }
}

const isAddress = (text: string): boolean => /^[\d.]+$|:/u.test(text)

const withoutAddressFields = ({ clusterIP: _ip, clusterIPs: _ips, ...spec }: Fields): Fields => spec
