import { verify, X509Certificate } from "node:crypto";

/** Signed data that is not what it claims to be. */
export class SignedDataError extends Error {
  constructor(message) {
    super(message);
    this.name = "SignedDataError";
  }
}

// Apple's extensions for certificates that sign data of the App Store, as object identifiers in DER.
const MARKERS = {
  leaf: Buffer.from("060a2a864886f76364060b01", "hex"), // 1.2.840.113635.100.6.11.1
  intermediate: Buffer.from("060a2a864886f76364060201", "hex"), // 1.2.840.113635.100.6.2.1
};

/**
 * Verifies a JWS of the App Store: the chain to a trusted root, the purpose of its certificates, the signature, and the
 * app and environment for which it was signed. `kind` is `notification`, `transaction`, `renewalInfo` or
 * `appTransaction`; without it, each is accepted. Returns the payload. Certificates are checked at the date of the
 * signature; their revocation is not checked.
 */
export function verifySignedData(signedData, { rootCertificates, bundleId, appAppleId, environment, kind }) {
  const { header, payload, content, signature } = parse(signedData);
  if (header.alg !== "ES256") throw new SignedDataError(`The algorithm is ${header.alg}, not ES256.`);
  const date = payload.signedDate ?? payload.receiptCreationDate;
  if (typeof date !== "number") throw new SignedDataError("The payload has no signedDate.");
  const key = verifiedKey(header.x5c, rootCertificates.map((root) => new X509Certificate(root)), date);
  if (!verify("sha256", content, { key, dsaEncoding: "ieee-p1363" }, signature)) {
    throw new SignedDataError("The signature does not match.");
  }
  checkOwner(payload, { bundleId, appAppleId, environment, kind });
  return payload;
}

function parse(signedData) {
  const parts = typeof signedData === "string" ? signedData.split(".") : [];
  if (parts.length !== 3) throw new SignedDataError("This is not a JWS: it does not have three parts.");
  const [header, payload, signature] = parts.map(decode);
  return {
    header: json(header, "header"), payload: json(payload, "payload"), signature,
    content: Buffer.from(`${parts[0]}.${parts[1]}`),
  };
}

function decode(part) {
  const bytes = Buffer.from(part, "base64url");
  // Buffer.from ignores what is not Base64.
  if (bytes.toString("base64url") !== part) throw new SignedDataError("This is not a JWS: a part is not base64url.");
  return bytes;
}

function json(bytes, name) {
  try {
    const value = JSON.parse(bytes.toString("utf8"));
    if (value && typeof value === "object" && !Array.isArray(value)) return value;
  } catch {
    // The error below says it.
  }
  throw new SignedDataError(`The ${name} of the JWS is not a JSON object.`);
}

/** The public key of the leaf, if the chain is trusted. */
function verifiedKey(x5c, roots, date) {
  if (!Array.isArray(x5c) || x5c.length !== 3) throw new SignedDataError("The chain does not have three certificates.");
  const [leaf, intermediate, root] = x5c.map(certificate);
  if (!roots.some((trusted) => trusted.raw.equals(root.raw))) throw new SignedDataError("The root is not trusted.");
  for (const [issued, issuer] of [[leaf, intermediate], [intermediate, root], [root, root]]) {
    const isIssued = issuer.ca && issued.checkIssued(issuer) && issued.verify(issuer.publicKey);
    if (!isIssued) throw new SignedDataError(`${name(issuer)} did not issue ${name(issued)}.`);
    if (date < Date.parse(issued.validFrom) || date > Date.parse(issued.validTo)) {
      throw new SignedDataError(`The certificate ${name(issued)} was not valid at ${new Date(date).toISOString()}.`);
    }
  }
  if (leaf.ca) throw new SignedDataError("The certificate that signed is a certificate authority.");
  // Node shows no unknown extensions, so this looks for the identifier in the bytes that the issuer has signed.
  if (!leaf.raw.includes(MARKERS.leaf) || !intermediate.raw.includes(MARKERS.intermediate)) {
    throw new SignedDataError("The certificates are not meant for the App Store: Apple's extensions are missing.");
  }
  if (leaf.publicKey.asymmetricKeyDetails?.namedCurve !== "prime256v1") {
    throw new SignedDataError("The key that signed is not on the curve P-256.");
  }
  return leaf.publicKey;
}

function certificate(base64) {
  try {
    return new X509Certificate(Buffer.from(base64, "base64"));
  } catch {
    throw new SignedDataError("The chain has something that is not a certificate.");
  }
}

function name({ subject }) {
  return subject.split("\n").find((part) => part.startsWith("CN="))?.slice(3) ?? subject;
}

function kindOf(payload) {
  if (payload.notificationType !== undefined) return "notification";
  if (payload.receiptType !== undefined) return "appTransaction";
  return payload.transactionId === undefined ? "renewalInfo" : "transaction";
}

function checkOwner(payload, expected) {
  const kind = kindOf(payload);
  if (expected.kind !== undefined && kind !== expected.kind) {
    throw new SignedDataError(`It is a ${kind}, not a ${expected.kind}.`);
  }
  const owner = kind === "notification" ? ownerOfNotification(payload) : payload;
  const environment = owner.environment ?? owner.receiptType;
  // Renewal info has no bundle id.
  if (kind !== "renewalInfo" && owner.bundleId !== expected.bundleId) {
    throw new SignedDataError(`It was signed for the app ${owner.bundleId}, not ${expected.bundleId}.`);
  }
  if (environment !== expected.environment) {
    throw new SignedDataError(`It was signed for the environment ${environment}, not ${expected.environment}.`);
  }
  const isOtherApp = owner.appAppleId !== undefined && owner.appAppleId !== expected.appAppleId;
  if (isOtherApp && expected.appAppleId !== undefined) {
    throw new SignedDataError(`It was signed for the Apple id ${owner.appAppleId}, not ${expected.appAppleId}.`);
  }
}

function ownerOfNotification({ data, summary, appData, externalPurchaseToken: token }) {
  if (data ?? summary ?? appData) return data ?? summary ?? appData;
  if (!token) throw new SignedDataError("The notification names no app.");
  const isSandbox = String(token.externalPurchaseId).startsWith("SANDBOX");
  return { ...token, environment: isSandbox ? "Sandbox" : "Production" };
}
