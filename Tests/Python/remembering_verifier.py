"""Apple's verifier with a cache, so that it can verify thousands of signatures with the same chain fast."""

from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier


class RememberingVerifier(SignedDataVerifier):
    """Apple's verifier with a cache of verified chains, such as the one that it has when it checks online.

    A chain that was valid at two instants is valid between them. Outside of that time, Apple's code verifies it again.
    Everything else, in particular the signature of each payload, is always verified.
    """

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self._chain_verifier.verify_chain = Memory(self._chain_verifier.verify_chain)


class Memory:
    def __init__(self, verify):
        self.verify = verify
        self.known = {}

    def __call__(self, certificates, online, date):
        chain = (online, *certificates)
        key, first, last = self.known.get(chain, (None, date + 1, date - 1))
        if not first <= date <= last:
            key = self.verify(certificates, online, date)
            self.known[chain] = key, min(first, date), max(last, date)
        return key
