import { isFields } from "../../is.js";
import { addressUnusable, credentialsUnusable, invalidCredentials } from "./errors.js";
import type { ChannelCredentials, Connection, GrpcJs } from "./grpc-js.js";
import type { GrpcCredentials, GrpcSource, GrpcTlsCredentials } from "./options.js";

/** Makes the client of an address. Nothing is sent before its first call. */
export function connect(grpc: GrpcJs, address: string, options: GrpcSource): Connection {
  const credentials = credentialsOf(grpc, options.credentials ?? (isLocal(address) ? "insecure" : "tls"));
  try {
    return new grpc.Client(address, credentials, { ...options.channelOptions });
  } catch (cause) {
    throw addressUnusable(address, cause);
  }
}

/** Whether an address cannot lead to another machine. */
export function isLocal(address: string): boolean {
  const target = address.replace(/^(dns|ipv4|ipv6):(\/\/[^/]*\/)?/i, "");
  return /^(unix|unix-abstract|vsock):/i.test(target) || /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i.test(target);
}

function credentialsOf(grpc: GrpcJs, given: GrpcCredentials): ChannelCredentials {
  if (given === "insecure") return grpc.credentials.createInsecure();
  if (given === "tls") return grpc.credentials.createSsl();
  // of another copy of the package too, so it is known by what it can do
  if (isFields(given) && typeof given.compose === "function") return given as object as ChannelCredentials;
  const { rootCertificates, privateKey, certificateChain } = checkedTls(given);
  try {
    return grpc.credentials.createSsl(bytesOf(rootCertificates), bytesOf(privateKey), bytesOf(certificateChain));
  } catch (cause) {
    throw credentialsUnusable(cause);
  }
}

const tlsNames: readonly string[] = ["rootCertificates", "privateKey", "certificateChain"];

function checkedTls(given: unknown): GrpcTlsCredentials {
  if (!isFields(given)) throw invalidCredentials();
  const isTls = Object.entries(given).every(
    ([name, value]) =>
      tlsNames.includes(name) && (value === undefined || typeof value === "string" || value instanceof Uint8Array),
  );
  if (!isTls) throw invalidCredentials();
  return given;
}

function bytesOf(pem: string | Uint8Array | undefined): Buffer | null {
  if (pem === undefined) return null;
  return typeof pem === "string" ? Buffer.from(pem) : Buffer.from(pem.buffer, pem.byteOffset, pem.byteLength);
}
