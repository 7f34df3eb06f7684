import java.io.IOException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.InvalidAlgorithmParameterException;
import java.security.InvalidKeyException;
import java.security.Key;
import java.security.MessageDigest;
import java.security.Provider;
import java.security.spec.AlgorithmParameterSpec;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.MacSpi;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * UMAC-64, UMAC-128 (RFC 4418) and PMAC-AES128 (EUROCRYPT 2002) as a MacSpi, without libwegman.
 *
 * Nonces come as IvParameterSpec: init a key with the next nonce for each message. This class shows the definitions: it
 * keeps a whole message until doFinal, and BigInteger's time depends on secrets, so do not use it against attackers who
 * measure time.
 */
public abstract class WegmanMac extends MacSpi {
    private byte[] message = new byte[64];
    private int length;

    private static Cipher aes(byte[] key) throws GeneralSecurityException {
        Cipher aes = Cipher.getInstance("AES/ECB/NoPadding");
        aes.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(key, "AES"));
        return aes;
    }

    abstract void key(byte[] secret, AlgorithmParameterSpec nonce) throws GeneralSecurityException;

    abstract byte[] tag(byte[] message) throws GeneralSecurityException;

    @Override
    protected void engineInit(Key key, AlgorithmParameterSpec nonce)
            throws InvalidKeyException, InvalidAlgorithmParameterException {
        byte[] secret = key.getEncoded();
        if (secret == null || secret.length != 16) {
            throw new InvalidKeyException("a key has 16 bytes");
        }
        try {
            key(secret, nonce);
        } catch (InvalidAlgorithmParameterException e) {
            throw e;
        } catch (GeneralSecurityException e) {
            throw new InvalidKeyException(e);
        }
        engineReset();
    }

    @Override
    protected void engineUpdate(byte input) {
        engineUpdate(new byte[] {input}, 0, 1);
    }

    @Override
    protected void engineUpdate(byte[] input, int offset, int count) {
        if (count > message.length - length) {
            byte[] larger = Arrays.copyOf(message, Math.max(Math.addExact(length, count), length + length / 2));
            Arrays.fill(message, (byte) 0);
            message = larger;
        }
        System.arraycopy(input, offset, message, length, count);
        length += count;
    }

    @Override
    protected byte[] engineDoFinal() {
        try {
            return tag(Arrays.copyOf(message, length));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e.getMessage(), e);
        } finally {
            engineReset();
        }
    }

    @Override
    protected void engineReset() {
        Arrays.fill(message, (byte) 0);
        length = 0;
    }

    /** UMAC-64. */
    public static final class Umac64 extends Umac {
        public Umac64() {
            super(2);
        }
    }

    /** UMAC-128. */
    public static final class Umac128 extends Umac {
        public Umac128() {
            super(4);
        }
    }

    abstract static class Umac extends WegmanMac {
        private static final long MASK = 0x01ffffff01ffffffL;
        private static final long P36 = (1L << 36) - 5;
        private static final int POLY64_WORDS = 1 << 14;
        private final int streams;
        private Cipher user;
        private Cipher pads;
        private byte[] nonce;
        private byte[] nhKey;
        private byte[] polyKey;
        private byte[] innerKey;
        private byte[] masks;

        Umac(int streams) {
            this.streams = streams;
        }

        @Override
        protected int engineGetMacLength() {
            return 4 * streams;
        }

        @Override
        void key(byte[] secret, AlgorithmParameterSpec parameters) throws GeneralSecurityException {
            if (!(parameters instanceof IvParameterSpec iv) || iv.getIV().length < 1 || iv.getIV().length > 16) {
                throw new InvalidAlgorithmParameterException("UMAC takes a nonce of 1 to 16 bytes, as IvParameterSpec");
            }
            nonce = iv.getIV();
            user = aes(secret);
            pads = aes(derive(0, 16));
            nhKey = derive(1, 1024 + 16 * (streams - 1));
            polyKey = derive(2, 24 * streams);
            innerKey = derive(3, 64 * streams);
            masks = derive(4, 4 * streams);
        }

        private byte[] derive(int index, int count) throws GeneralSecurityException {
            ByteBuffer blocks = ByteBuffer.allocate((count + 15) / 16 * 16);
            for (long i = 1; blocks.hasRemaining(); i++) {
                blocks.putLong(index).putLong(i);
            }
            return Arrays.copyOf(user.doFinal(blocks.array()), count);
        }

        @Override
        byte[] tag(byte[] message) throws GeneralSecurityException {
            if (nonce == null) {
                throw new GeneralSecurityException("init the key with the next nonce before each message");
            }
            byte[] block = Arrays.copyOf(nonce, 16);
            int part = streams == 2 ? block[nonce.length - 1] & 1 : 0;
            block[nonce.length - 1] -= (byte) part;
            byte[] pad = pads.doFinal(block);
            nonce = null;
            ByteBuffer tag = ByteBuffer.allocate(4 * streams);
            ByteBuffer masked = ByteBuffer.wrap(masks);
            ByteBuffer padded = ByteBuffer.wrap(pad, 8 * part, 4 * streams);
            for (int t = 0; t < streams; t++) {
                tag.putInt(inner(level2(message, t), t) ^ masked.getInt() ^ padded.getInt());
            }
            return tag.array();
        }

        private long nh(byte[] message, int from, int t) {
            int count = Math.min(1024, message.length - from);
            byte[] chunk = new byte[Math.max(32, (count + 31) / 32 * 32)];
            System.arraycopy(message, from, chunk, 0, count);
            ByteBuffer words = ByteBuffer.wrap(chunk).order(ByteOrder.LITTLE_ENDIAN);
            ByteBuffer key = ByteBuffer.wrap(nhKey);
            long sum = 8L * count;
            for (int group = 0; group < chunk.length; group += 32) {
                for (int i = group; i < group + 16; i += 4) {
                    sum += Integer.toUnsignedLong(words.getInt(i) + key.getInt(i + 16 * t))
                            * Integer.toUnsignedLong(words.getInt(i + 16) + key.getInt(i + 16 + 16 * t));
                }
            }
            return sum;
        }

        private static BigInteger unsigned(long word) {
            return new BigInteger(Long.toUnsignedString(word));
        }

        private static BigInteger number(long high, long low) {
            return unsigned(high).shiftLeft(64).or(unsigned(low));
        }

        /** One word of POLY modulo 2^bits - offset. A word from 2^bits - 2^(bits - 32) on takes two steps. */
        private static BigInteger step(BigInteger y, BigInteger k, BigInteger m, int bits, int offset) {
            BigInteger p = BigInteger.ONE.shiftLeft(bits).subtract(BigInteger.valueOf(offset));
            BigInteger limit = BigInteger.ONE.shiftLeft(bits).subtract(BigInteger.ONE.shiftLeft(bits - 32));
            if (m.compareTo(limit) >= 0) {
                y = y.multiply(k).add(p).subtract(BigInteger.ONE).mod(p);
                m = m.subtract(BigInteger.valueOf(offset));
            }
            return y.multiply(k).add(m).mod(p);
        }

        private byte[] level2(byte[] message, int t) {
            if (message.length <= 1024) {
                return ByteBuffer.allocate(16).putLong(0).putLong(nh(message, 0, t)).array();
            }
            ByteBuffer keys = ByteBuffer.wrap(polyKey, 24 * t, 24);
            BigInteger k64 = unsigned(keys.getLong() & MASK);
            BigInteger k128 = number(keys.getLong() & MASK, keys.getLong() & MASK);
            int count = (message.length - 1) / 1024 + 1;
            BigInteger y = BigInteger.ONE;
            for (int i = 0; i < Math.min(count, POLY64_WORDS); i++) {
                y = step(y, k64, unsigned(nh(message, 1024 * i, t)), 64, 59);
            }
            if (count > POLY64_WORDS) {
                y = step(BigInteger.ONE, k128, y, 128, 159);
                for (int i = POLY64_WORDS; i <= count; i += 2) {
                    long high = i < count ? nh(message, 1024 * i, t) : 1L << 63;
                    long low = i + 1 < count ? nh(message, 1024 * (i + 1), t) : i + 1 == count ? 1L << 63 : 0;
                    y = step(y, k128, number(high, low), 128, 159);
                }
            }
            byte[] bytes = y.toByteArray();
            byte[] result = new byte[16];
            int size = Math.min(16, bytes.length);
            System.arraycopy(bytes, bytes.length - size, result, 16 - size, size);
            return result;
        }

        private int inner(byte[] words, int t) {
            ByteBuffer keys = ByteBuffer.wrap(innerKey, 64 * t, 64);
            ByteBuffer parts = ByteBuffer.wrap(words);
            long sum = 0;
            for (int i = 0; i < 8; i++) {
                sum += (parts.getShort() & 0xffffL) * Long.remainderUnsigned(keys.getLong(), P36);
            }
            return (int) Long.remainderUnsigned(sum, P36);
        }
    }

    /** PMAC-AES128. */
    public static final class Pmac extends WegmanMac {
        private Cipher cipher;

        @Override
        protected int engineGetMacLength() {
            return 16;
        }

        @Override
        void key(byte[] secret, AlgorithmParameterSpec nonce) throws GeneralSecurityException {
            if (nonce != null) {
                throw new InvalidAlgorithmParameterException("PMAC takes no nonce");
            }
            cipher = aes(secret);
        }

        @Override
        byte[] tag(byte[] message) throws GeneralSecurityException {
            ByteBuffer first = ByteBuffer.wrap(cipher.doFinal(new byte[16]));
            long[] high = new long[32];
            long[] low = new long[32];
            high[0] = first.getLong();
            low[0] = first.getLong();
            for (int i = 1; i < 32; i++) {
                high[i] = high[i - 1] << 1 | low[i - 1] >>> 63;
                low[i] = low[i - 1] << 1 ^ high[i - 1] >> 63 & 0x87;
            }
            ByteBuffer rest = ByteBuffer.wrap(message);
            long sumHigh = 0;
            long sumLow = 0;
            long offsetHigh = 0;
            long offsetLow = 0;
            for (int i = 1; rest.remaining() > 16; i++) {
                offsetHigh ^= high[Integer.numberOfTrailingZeros(i)];
                offsetLow ^= low[Integer.numberOfTrailingZeros(i)];
                ByteBuffer block = encrypt(rest.getLong() ^ offsetHigh, rest.getLong() ^ offsetLow);
                sumHigh ^= block.getLong();
                sumLow ^= block.getLong();
            }
            byte[] last = new byte[16];
            int size = rest.remaining();
            rest.get(last, 0, size);
            if (size < 16) {
                last[size] = (byte) 0x80;
            } else {
                long odd = -(low[0] & 1);
                sumHigh ^= high[0] >>> 1 ^ odd & 1L << 63;
                sumLow ^= high[0] << 63 | low[0] >>> 1;
                sumLow ^= odd & 0x43;
            }
            ByteBuffer block = ByteBuffer.wrap(last);
            return encrypt(sumHigh ^ block.getLong(), sumLow ^ block.getLong()).array();
        }

        private ByteBuffer encrypt(long high, long low) throws GeneralSecurityException {
            return ByteBuffer.wrap(cipher.doFinal(ByteBuffer.allocate(16).putLong(high).putLong(low).array()));
        }
    }

    /** Runs vectors: the arguments are files in Wycheproof's schemas, one test a line. */
    public static void main(String[] files) throws IOException, GeneralSecurityException {
        Pattern field = Pattern.compile("\"(key|iv|msg|tag|result|tcId)\":\"?([0-9a-z]*)");
        for (String file : files) {
            int count = 0;
            String text = Files.readString(Path.of(file));
            for (String line : text.lines().filter(line -> line.contains("\"tcId\":")).toList()) {
                Map<String, String> test = new HashMap<>();
                Matcher matcher = field.matcher(line);
                while (matcher.find()) {
                    test.put(matcher.group(1), matcher.group(2));
                }
                byte[] tag = HexFormat.of().parseHex(test.get("tag"));
                String iv = test.get("iv");
                String name = iv == null ? "PMAC-AES128" : "UMAC-" + 8 * tag.length;
                Mac mac = Mac.getInstance(name, new WegmanProvider());
                mac.init(
                        new SecretKeySpec(HexFormat.of().parseHex(test.get("key")), name),
                        iv == null ? null : new IvParameterSpec(HexFormat.of().parseHex(iv)));
                byte[] message = HexFormat.of().parseHex(test.get("msg"));
                for (byte one : message) {
                    mac.update(one);
                }
                boolean valid = MessageDigest.isEqual(mac.doFinal(), tag);
                if (valid != test.get("result").equals("valid")) {
                    throw new AssertionError(file + ": test " + test.get("tcId") + " is " + test.get("result"));
                }
                count++;
            }
            Matcher number = Pattern.compile("\"numberOfTests\":(\\d+)").matcher(text);
            if (!number.find() || count != Integer.parseInt(number.group(1))) {
                throw new AssertionError(file + ": " + count + " tests were read");
            }
            System.out.println(Path.of(file).getFileName() + ": " + count + " tests");
        }
    }

    /** Names the three for Mac.getInstance. */
    public static final class WegmanProvider extends Provider {
        private static final long serialVersionUID = 1;

        public WegmanProvider() {
            super("WegmanExample", "1", "UMAC-64, UMAC-128 and PMAC-AES128 in Java alone");
            put("Mac.UMAC-64", Umac64.class.getName());
            put("Mac.UMAC-128", Umac128.class.getName());
            put("Mac.PMAC-AES128", Pmac.class.getName());
        }
    }
}
